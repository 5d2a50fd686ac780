// Every route, area by area.
import { routes as apps } from './account/apps.routes.ts';
import { routes as confirmation } from './account/confirmation/confirmation.routes.ts';
import { routes as checkMail } from './account/mail-links/check-mail.routes.ts';
import { routes as confirmEmail } from './account/mail-links/confirm-email.routes.ts';
import { routes as resetPassword } from './account/mail-links/reset-password.routes.ts';
import { routes as stopEmailChange } from './account/mail-links/stop-email-change.routes.ts';
import { routes as verifyEmail } from './account/mail-links/verify-email.routes.ts';
import { routes as passkeys } from './account/passkeys/passkeys.routes.ts';
import { routes as personImage } from './account/person-image.routes.ts';
import { routes as library } from './account/purchases/library.routes.ts';
import { routes as purchase } from './account/purchases/purchase.routes.ts';
import { routes as receipt } from './account/purchases/receipt.routes.ts';
import { routes as unfinished } from './storefront/unfinished.routes.ts';
import { routes as credentials } from './account/settings/credentials.routes.ts';
import { routes as deleteAccount } from './account/settings/delete-account.routes.ts';
import { routes as picture } from './account/settings/picture.routes.ts';
import { routes as profile } from './account/settings/profile.routes.ts';
import { routes as security } from './account/settings/security.routes.ts';
import { routes as signIn } from './account/sign-in.routes.ts';
import { routes as passkeySignUp } from './account/sign-up/passkey-sign-up.routes.ts';
import { routes as signUp } from './account/sign-up/sign-up.routes.ts';
import { routes as memberCheckout } from './account/subscriptions/member-checkout.routes.ts';
import { routes as memberFees } from './account/subscriptions/member-fees.routes.ts';
import { routes as member } from './account/subscriptions/member.routes.ts';
import { routes as subscription } from './account/subscriptions/subscription.routes.ts';
import { routes as listing } from './console/catalog/listing.routes.ts';
import { routes as newProduct } from './console/catalog/new-product.routes.ts';
import { routes as pictures } from './console/catalog/pictures.routes.ts';
import { routes as prices } from './console/catalog/prices.routes.ts';
import { routes as product } from './console/catalog/product.routes.ts';
import { routes as releases } from './console/catalog/releases.routes.ts';
import { routes as remove } from './console/catalog/remove.routes.ts';
import { routes as seal } from './console/catalog/seal.routes.ts';
import { routes as share } from './console/catalog/share.routes.ts';
import { routes as transfer } from './console/catalog/transfer.routes.ts';
import { routes as frontPage } from './console/console.routes.ts';
import { routes as consoleClients } from './console/credentials/clients.routes.ts';
import { routes as keys } from './console/credentials/keys.routes.ts';
import { routes as design } from './console/design/design.routes.ts';
import { routes as grants } from './console/grants/grants.routes.ts';
import { routes as imports } from './console/imports/imports.routes.ts';
import { routes as integrate } from './console/integrate/integrate.routes.ts';
import { routes as consoleMoney } from './console/money/money.routes.ts';
import { routes as notifications } from './console/notifications/notifications.routes.ts';
import { routes as diagnostics } from './console/requests/diagnostics.routes.ts';
import { routes as requests } from './console/requests/requests.routes.ts';
import { routes as disputes } from './console/sales/disputes.routes.ts';
import { routes as consolePayouts } from './console/sales/payouts.routes.ts';
import { routes as pool } from './console/sales/pool.routes.ts';
import { routes as purchases } from './console/sales/purchases.routes.ts';
import { routes as refund } from './console/sales/refund.routes.ts';
import { routes as report } from './console/sales/report.routes.ts';
import { routes as salesSettings } from './console/sales/sales-settings.routes.ts';
import { routes as statements } from './console/sales/statements.routes.ts';
import { routes as subscribers } from './console/sales/subscribers.routes.ts';
import { routes as acceptance } from './console/teams/acceptance.routes.ts';
import { routes as consoleAudit } from './console/teams/audit.routes.ts';
import { routes as invitations } from './console/teams/invitations.routes.ts';
import { routes as members } from './console/teams/members.routes.ts';
import { routes as ownership } from './console/teams/ownership.routes.ts';
import { routes as team } from './console/teams/team.routes.ts';
import { routes as teams } from './console/teams/teams.routes.ts';
import { routes as verification } from './console/teams/verification.routes.ts';
import { routes as teamUsage } from './console/usage/team-usage.routes.ts';
import { routes as usage } from './console/usage/usage.routes.ts';
import { routes as deliveries } from './console/webhooks/deliveries.routes.ts';
import { routes as delivery } from './console/webhooks/delivery.routes.ts';
import { routes as endpoints } from './console/webhooks/endpoints.routes.ts';
import { routes as recoveries } from './console/webhooks/recoveries.routes.ts';
import { routes as health } from './health/health.routes.ts';
import { routes as assets } from './html/assets.routes.ts';
import { routes as authorize } from './oauth/authorize.routes.ts';
import { routes as metadata } from './oauth/metadata.routes.ts';
import { routes as oauthProfile } from './oauth/profile.routes.ts';
import { routes as token } from './oauth/token.routes.ts';
import { routes as operatorAudit } from './operator/audit/audit.routes.ts';
import { routes as appeals } from './operator/catalog/appeals.routes.ts';
import { routes as operatorClients } from './operator/catalog/clients.routes.ts';
import { routes as operatorPictures } from './operator/catalog/pictures.routes.ts';
import { routes as products } from './operator/catalog/products.routes.ts';
import { routes as shelves } from './operator/catalog/shelves.routes.ts';
import { routes as exclusions } from './operator/money/exclusions.routes.ts';
import { routes as memberPrices } from './operator/money/member-prices.routes.ts';
import { routes as money } from './operator/money/money.routes.ts';
import { routes as operatorPayouts } from './operator/money/payouts.routes.ts';
import { routes as period } from './operator/money/period.routes.ts';
import { routes as periods } from './operator/money/periods.routes.ts';
import { routes as poolSettings } from './operator/money/pool-settings.routes.ts';
import { routes as overview } from './operator/overview/overview.routes.ts';
import { routes as builders } from './operator/people/builders.routes.ts';
import { routes as people } from './operator/people/people.routes.ts';
import { routes as alerts } from './operator/running/alerts.routes.ts';
import { routes as events } from './operator/running/events.routes.ts';
import { routes as find } from './operator/running/find.routes.ts';
import { routes as messages } from './operator/running/messages.routes.ts';
import { routes as workflows } from './operator/running/workflows.routes.ts';
import { routes as processorEvents } from './processor-events/processor-events.routes.ts';
import { routes as badge } from './storefront/badge.routes.ts';
import { routes as buy } from './storefront/buy.routes.ts';
import { routes as images } from './storefront/images.routes.ts';
import { routes as collections } from './storefront/collection.routes.ts';
import { routes as sitemap } from './storefront/sitemap.routes.ts';
import { routes as storeSearch } from './storefront/search.routes.ts';
import { routes as store } from './storefront/store.routes.ts';
import { routes as entitlements } from './v1/entitlements.routes.ts';
import { routes as usageReports } from './v1/usage.routes.ts';
import { docsRoutes } from './docs/docs.routes.ts';
import type { Route } from './http/route.ts';

const programRoutes = [health, entitlements, usageReports, processorEvents].flat();
const oauthRoutes = [authorize, token, metadata, oauthProfile].flat();
const storefrontRoutes = [buy, badge, store, storeSearch, collections, sitemap, unfinished].flat();

const accountRoutes = [
  [signIn, signUp, passkeySignUp, passkeys, confirmation],
  [checkMail, verifyEmail, confirmEmail, stopEmailChange, resetPassword],
  [profile, picture, security, credentials, apps, deleteAccount],
  [library, purchase, receipt],
  [member, memberCheckout, memberFees, subscription],
].flat(2);

const consoleRoutes = [
  [frontPage, newProduct, product, transfer, remove],
  [listing, imports, pictures, releases, prices, share, seal],
  [consoleClients, keys, design, grants, integrate, notifications, diagnostics, requests],
  [salesSettings, consoleMoney, consolePayouts, purchases, refund, disputes],
  [subscribers, report, statements, pool, usage, teamUsage],
  [endpoints, deliveries, delivery, recoveries],
  [teams, team, members, ownership, invitations, acceptance, consoleAudit, verification],
].flat(2);

const operatorRoutes = [
  [overview, builders, people, operatorClients, products, operatorPictures, shelves],
  [appeals, operatorAudit],
  [periods, period, operatorPayouts, exclusions, poolSettings],
  [money, memberPrices],
  [alerts, events, messages, workflows, find],
].flat(2);

const described = [
  [programRoutes, oauthRoutes, storefrontRoutes],
  [accountRoutes, consoleRoutes, operatorRoutes],
].flat(2);

export const ROUTES: readonly Route[] = [
  ...[described, personImage, images, assets].flat(),
  ...docsRoutes(described),
];
