// Parts of one subject, over one application: another start of it costs a second of a core.
import './openapi.ts';
import './openapi-rules.ts';
