// Parts of one subject, over one application: another start of it costs a second of a core.
import './members.ts';
import './invitations.ts';
import './new-product.ts';
import './roles.ts';
