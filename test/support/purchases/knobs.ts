type At = { url: string; secretKey: string };

/** The knobs of a simulator, as whoever has its secret key turns them. */
export function createKnobs({ url, secretKey }: At) {
  async function turn<HttpResponse = Record<string, unknown>>(path: string, body: object = {}) {
    const response = await fetch(`${url}/knobs/${path}`, {
      method: 'POST',
      headers: { 'simulator-token': secretKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as HttpResponse;
  }

  return {
    drop: (count = 1) => turn('events', { fate: 'drop', count }),
    hold: (count = 1) => turn('events', { fate: 'hold', count }),
    duplicate: (copies: number) => turn('events', { copies }),
    release: (order: 'made' | 'reversed' = 'made') =>
      turn<{ released: number }>('events/release', { order }),
    passDays: (days: number) => turn('clock', { days }),
    dispute: (of: string, more: { status?: string; amount?: number } = {}) =>
      turn<{ id: string }>('disputes', { of, ...more }),
    payOut: (
      account: string,
      more: { status?: string; amount?: number; failure_code?: string } = {},
    ) => turn<{ id: string }>('payouts', { account, ...more }),
    setAccount: (id: string, state: string) => turn(`accounts/${id}`, { state }),
    transfers: (fate: 'make' | 'refuse' | 'drop' | 'delay', count = 1, seconds = 10) =>
      turn('transfers', { fate, count, seconds }),
    decide: (id: string, status: string) => turn(`disputes/${id}`, { status }),
  };
}
