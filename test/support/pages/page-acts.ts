// What is done on pages before they are looked at.
import type { Page } from 'playwright-core';

function press(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true }).click();
}

export async function refuseSignIn(page: Page) {
  await page.getByLabel('Email').fill('nobody@example.com');
  await page.getByLabel('Password').fill('wrong');
  await press(page, 'Sign in');
  await page.locator('#problem').waitFor();
}

export async function refuseSignUp(page: Page) {
  await page.getByLabel('Email').fill('nobody@example');
  await page.getByLabel('Handle').fill('N!');
  await page.getByLabel('Display name').fill('Nobody');
  await page.getByLabel('Password').fill('short');
  await press(page, 'Sign up');
  await page.locator('#password-problem').waitFor();
}

export async function signUp(page: Page) {
  await page.getByLabel('Email').fill('a-new-person-with-a-long-name@subdomain.example.com');
  await page.getByLabel('Handle').fill('new_person');
  await page.getByLabel('Display name').fill('New Person');
  await page.getByLabel('Password').fill('a quiet lamp in the hall');
  await press(page, 'Sign up');
  await page.locator('[data-wait]').waitFor();
}

/** The menu of a narrow screen. */
export async function openMenu(page: Page) {
  await page.setViewportSize({ width: 375, height: 760 });
  await page.locator('.side > summary').click();
}

/** A link of the page's head leads to the form, and opens it. */
function openForm(page: Page, name: string) {
  return page.getByRole('link', { name, exact: true }).click();
}

/** The title of a closed card opens its form. */
function openCard(page: Page, title: string) {
  return page.locator('summary').filter({ hasText: title }).click();
}

export async function createKey(page: Page) {
  await openCard(page, 'Create key');
  await page.getByLabel('Name').fill('Server');
  await press(page, 'Create key');
  await page.getByLabel('Your password').waitFor();
}

export async function refuseProfile(page: Page) {
  await page.getByLabel('Handle').fill('N!');
  await press(page, 'Save profile');
  await page.locator('#handle-problem').waitFor();
}

export async function refuseClient(page: Page) {
  await openForm(page, 'Create client');
  await page.getByRole('textbox', { name: 'Name' }).fill('Web');
  await page.getByLabel('Redirect URIs').last().fill('http://app.example/cb\nnonsense');
  await press(page, 'Create client');
  await page.locator('#redirect_uris-problem').waitFor();
}

export async function refuseEndpoint(page: Page) {
  await openCard(page, 'Add endpoint');
  await page.getByLabel('URL').fill('http://10.0.0.1/');
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await press(page, 'Add endpoint');
  await page.locator('#url-problem').waitFor();
  await page.locator('#events-problem').waitFor();
}

/** Saves a form that was opened before another person saved the listing. */
export async function saveStale(page: Page) {
  await page.evaluate(`document.querySelector('[name=version]').value = '0'`);
  await page.getByLabel('Tagline').fill('Keeps receipts, and finds them again.');
  await press(page, 'Save text');
  await page.getByRole('button', { name: 'Save mine' }).waitFor();
}

export async function applyNothing(page: Page) {
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await press(page, 'Apply what is ticked');
  await page.getByText('Nothing is ticked.').waitFor();
}

export async function refuseSlug(page: Page) {
  await page.getByLabel('Slug').fill('a_b');
  await press(page, 'Change slug');
  await page.locator('#slug-problem').waitFor();
}

export async function refusePrice(page: Page) {
  await page.getByRole('combobox', { name: 'Currency' }).selectOption('USD');
  await page.getByLabel('Buyers pay').fill('1.005');
  await press(page, 'Set price');
  await page.locator('#amount-problem').waitFor();
}

export async function refuseRefund(page: Page) {
  await page.getByLabel('Amount').fill('99999');
  await page.getByRole('button', { name: 'Continue to refund' }).click();
  await page.locator('#amount-problem').waitFor();
}

export async function showSecret(page: Page) {
  await press(page, 'Show secret');
  await page.locator('[data-secret=current]').waitFor();
}

export async function openDetails(page: Page) {
  // Handles stay what they were while the folds open; a locator would look again.
  const closed = page.locator('main details:not([open]) > summary:visible');
  for (const summary of await closed.elementHandles()) await summary.click();
}

/** The choice of another product. */
export async function openSwitcher(page: Page) {
  await page.locator('.switcher > summary').click();
}
