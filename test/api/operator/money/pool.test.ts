// Parts of one subject: another file costs a second of a core.
import './evidence-and-settings.ts';
import './find-product.ts';
import './payouts.ts';
import './period.ts';
