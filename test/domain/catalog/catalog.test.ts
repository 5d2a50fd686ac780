// Parts of one subject: another file costs a second of a core.
import './diagnose.ts';
import './import-findings.ts';
import './listed-price.ts';
import './listing-fields.ts';
import './payout-failure.ts';
import './pictures.ts';
import './product-address.ts';
import './product-lifecycle.ts';
import './rights.ts';
