// Parts of one subject: another file costs a second of a core.
import './imports.ts';
import './included-and-share.ts';
import './listing.ts';
import './payouts.ts';
import './picture-bounds.ts';
import './pictures.ts';
import './pool.ts';
import './pool-rights.ts';
import './preview.ts';
import './prices.ts';
import './releases.ts';
import './replace-payouts.ts';
import './sales-settings.ts';
import './seal.ts';
import './slugs.ts';
