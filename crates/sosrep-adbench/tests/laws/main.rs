//! Laws of the catalogue, the data sets, the protocol and the export, on files made here and, where
//! they are at hand, on the files of ADBench.

mod catalogue;
mod damage;
mod export;
mod made;
mod protocol;
mod published;
