// What a person who asks for verification and an operator who decides do.
import { people, operator } from './scene.ts';

const { api, mailsTo } = people;

type SignedIn = typeof operator;

export const VERIFICATION = '/console/verification';

export const ANSWERS = {
  sells: 'A synthesizer.\nFor trains.',
  place: 'https://synth.example',
  contact: '+41 44 000 00 00',
};

export const ask = ({ browser }: SignedIn, fields: Record<string, string> = {}) =>
  browser.submit(VERIFICATION, { action: VERIFICATION, fields: { ...ANSWERS, ...fields } });
export const decide = (id: string, decision: string, from?: string) =>
  operator.browser.submit('/operator', {
    action: `/operator/people/${id}/builder`,
    fields: { decision, reason: 'No website.', ...(from ? { from } : {}) },
  });
export const builderStatus = async ({ browser }: SignedIn) =>
  /data-verification="(\w+)"/.exec(await (await browser.get(VERIFICATION)).text())?.[1];
export const auditOf = async (personId: string) =>
  api.test.query<{ action: string; actor_id: string; ip: string }>(
    `select action, actor_id, ip from audit
       left join audit_address on audit_id = audit.id where subject = $1 order by at, id`,
    [personId],
  );
export const page = async (query = '') =>
  (await operator.browser.get(`/operator/builders${query}`)).text();
export const purposes = async (email: string) =>
  (await mailsTo(email)).map(({ purpose }) => purpose);
