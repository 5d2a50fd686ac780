// Parts of one subject: another file costs a second of a core.
import './endpoint-throttle.ts';
import './example-events.ts';
import './lock-order.ts';
import './loopback-endpoint.ts';
import './recovery.ts';
import './round.ts';
import './shown-host.ts';
import './webhooks.ts';
