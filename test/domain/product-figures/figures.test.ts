// Parts of one subject: another file costs a second of a core.
import './figure-runs.ts';
import './home-figures.ts';
import './overview.ts';
import './product-figures.query.ts';
