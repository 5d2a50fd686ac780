// The page after a form that sends an email, and the button that sends it again.
import {
  requestPasswordReset,
  sendSignUpMail,
} from '../../../domain/identity/mail/limited-mail.command.ts';
import { consume, secondsLeft, Throttle } from '../../../domain/limits/throttle.repository.ts';
import { now } from '../../../platform/database/database.ts';
import { page, redirect } from '../../http/response.ts';
import { defineRoute, type RouteContext, OPEN_PAGE } from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { writePlural } from '../../html/numbers.ts';
import { findDestination } from '../destination.ts';
import { openForm } from '../../http/csrf.ts';
import { CHECK_MAIL, checkMailPage } from './check-mail.page.ts';
import {
  enteredCookie,
  readEntered,
  secondsUntilAgain,
  type EnteredAddress,
} from './entered-address.ts';
import { NO_FIELDS } from '../../http/fields.ts';

const showCheckMail = defineRoute({
  ...OPEN_PAGE,
  path: CHECK_MAIL,
  summary: 'Show that an email was sent',
  input: {},
  handler: (context) => show(context, { entered: findEntered(context) }),
});

/** Sends the same mail as the form did. The answer and the limits are the same for every address. */
const sendAgain = defineRoute({
  method: 'POST',
  path: CHECK_MAIL,
  summary: 'Send the email again',
  credential: 'public',
  limit: 'mail_request',
  input: { body: NO_FIELDS },
  async handler(context) {
    const { services, cookies } = context;
    const { database, signer } = services;
    const entered = findEntered(context);
    if (!entered) return redirect('/sign-in');
    const sentAt = await now(database.em());
    const waitS = secondsUntilAgain(entered, sentAt);
    if (waitS > 0) {
      return show(context, {
        entered,
        problem: `You can send it again in ${writePlural(waitS, 'second')}.`,
      });
    }
    const key = `${cookies.preSession} ${entered.address}`;
    const counted = await consume(new Throttle(database.pool, AGAIN), key);
    if (counted.consumedPoints > AGAIN.most) {
      const minutes = Math.ceil(secondsLeft(counted) / 60);
      const problem = `We sent it again ${AGAIN.most} times. Try again in ${writePlural(minutes, 'minute')}.`;
      return show(context, { entered, problem });
    }
    const send = entered.form === 'forgot_password' ? requestPasswordReset : sendSignUpMail;
    const { address } = entered;
    await send(database.em(), { address, signUpCookie: cookies.signUp, pool: database.pool });
    const cookie = enteredCookie(signer, { ...entered, sentAtMs: sentAt.getTime() });
    return redirect(withNotice(CHECK_MAIL, 'mail_sent_again'), { cookies: [cookie] });
  },
});

/**
 * The limit of a browser and an address, whose mails have budgets of their own: with the first mail, as
 * many as a browser gets.
 */
const AGAIN = { name: 'mail-again', most: 4, minutes: 60 };

/** Finds nothing where the address is confirmed already: then nothing is sent again. */
function findEntered({ services, cookies }: RouteContext): EnteredAddress | null {
  const entered = readEntered(services.signer, cookies.entered);
  return entered?.form === 'confirmed' ? null : entered;
}

async function show(
  context: RouteContext,
  { entered, problem }: { entered: EnteredAddress | null; problem?: string },
) {
  const { token, cookies } = openForm(context);
  const waitS =
    entered === null ? 0 : secondsUntilAgain(entered, await now(context.services.database.em()));
  const view = checkMailPage({
    entered,
    waitS,
    token,
    destination: await findDestination(context),
    ...(problem === undefined ? {} : { problem }),
  });
  return page(context, view, { cookies, ...(problem === undefined ? {} : { status: 422 }) });
}

export const routes = [showCheckMail, sendAgain];
