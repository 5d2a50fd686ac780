import type { startPeople } from '../../identity/people.ts';

type People = Awaited<ReturnType<typeof startPeople>>;

/** The links of mails that pages are opened by. */
export async function sendLinks(people: People) {
  const { api } = people;
  const { email } = await people.signUp();
  const verify = await people.linkTo(email, 'verify_email');
  const forgotten = { action: '/forgot-password', fields: { email } };
  await api.browser().submit('/forgot-password', forgotten);
  const { browser, person } = await people.signedIn();
  const [security, address] = ['/settings/security', people.newEmail()];
  const fields = { email: address, password: person.password };
  await browser.submit(security, { action: `${security}/email`, fields });
  return {
    verify,
    reset: await people.linkTo(email, 'reset_password'),
    change: await people.linkTo(address, 'change_email'),
    stop: await people.linkTo(person.email, 'email_change_asked'),
  };
}
