// Parts of one subject: another file costs a second of a core.
import './apply-change-request.ts';
import './input.ts';
import './mail-template.ts';
import './mail.ts';
import './processor-fees.ts';
import './receipt-text.ts';
import './webhooks/delivery.ts';
