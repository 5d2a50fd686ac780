// Parts of one subject: another file costs a second of a core.
import './audit-trail.ts';
import './integrate.ts';
import './notifications.ts';
import './home.ts';
import './own-products.ts';
import './requests.ts';
import './usage.ts';
