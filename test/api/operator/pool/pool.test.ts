// Parts of one subject, over one application: another start of it costs a second of a core.
import './evidence-and-settings.ts';
import './payouts.ts';
import './period.ts';
