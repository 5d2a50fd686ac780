// Parts of one subject, over one application: another start of it costs a second of a core.
import './console.ts';
import './integrate.ts';
import './notifications.ts';
import './requests.ts';
import './usage.ts';
