import type { Processor } from '../../clients/processor/processor.ts';

const NOWHERE = 'http://localhost/';

/** A payout account of the simulator that can charge: its owner has been through all pages. */
export async function openReadyAccount(
  processor: Pick<Processor, 'createPayoutAccount' | 'openOnboarding'>,
  email: string,
): Promise<string> {
  const { id } = await processor.createPayoutAccount({ email });
  const link = { account: id, returnUrl: NOWHERE, refreshUrl: NOWHERE };
  const { url } = await processor.openOnboarding(link);
  const body = new URLSearchParams({ state: 'enabled' });
  const { status } = await fetch(url, { method: 'POST', redirect: 'manual', body });
  if (status !== 303) throw new Error(`the simulator answered ${status}`);
  return id;
}
