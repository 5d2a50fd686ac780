// Parts of one subject: another file costs a second of a core.
import './authorization.repository.ts';
import './authorize-request.ts';
import './client-registration.ts';
import './decide-exchange.ts';
import './explain-exchange-refusal.ts';
import './redirect-uri.ts';
