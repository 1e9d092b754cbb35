//! Rows that are linked to each other, directly or through others, as trees.

/// The groups of linked rows.
pub(super) struct Links {
    parent: Vec<usize>,
}

impl Links {
    /// No row is linked to another.
    pub(super) fn new(rows: usize) -> Self {
        Self { parent: (0..rows).collect() }
    }

    /// Puts two rows, and all that are linked to them, in one group.
    pub(super) fn link(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// For every row one row that stands for its group.
    pub(super) fn roots(&mut self) -> Vec<usize> {
        (0..self.parent.len()).map(|row| self.root(row)).collect()
    }

    fn root(&mut self, mut row: usize) -> usize {
        while self.parent[row] != row {
            self.parent[row] = self.parent[self.parent[row]];
            row = self.parent[row];
        }
        row
    }
}
