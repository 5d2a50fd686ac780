import { createBrowser, readForm, type Page } from '../../../dev/demo/browser.ts';
import type { DemoData } from '../../../dev/demo/load.ts';

/** Goes from the buy link through sign-in to the processor's checkout page. */
export async function goToCheckout(
  demo: DemoData,
  { handle, path }: { handle: string; path: string },
) {
  const person = demo.people.find((candidate) => candidate.handle === handle)!;
  const browser = createBrowser();
  const signIn = await browser.visit(at(await browser.visit(`${demo.base_url}${path}`)));
  const { action, fields } = readForm(signIn);
  const credentials = { ...fields, email: person.email, password: person.password };
  const signedIn = await browser.visit(action, credentials);
  const checkout = await browser.visit(at(await browser.visit(at(signedIn))));
  const pay = async (card: string): Promise<Page> => {
    const form = readForm(checkout);
    return browser.visit(form.action, { ...form.fields, card_number: card });
  };
  return { person, browser, checkout, pay };
}

export function purchaseIdOf(paid: Page): string {
  return new URL(at(paid)).pathname.split('/').at(-1)!;
}

export async function checkAccess(
  demo: DemoData,
  { slug, personId }: { slug: string; personId: string },
): Promise<Record<string, unknown>> {
  const product = demo.products.find((candidate) => candidate.slug === slug)!;
  const response = await fetch(`${demo.base_url}/api/v1/entitlements?user_id=${personId}`, {
    headers: { authorization: `Bearer ${product.live_key}` },
  });
  return (await response.json()) as Record<string, unknown>;
}

function at(page: Page): string {
  if (!page.location) throw new Error(`${page.url} answered ${page.status}, not a redirect`);
  return page.location;
}
