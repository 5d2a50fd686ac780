import { Alert } from './alerts/alert.entity.ts';
import { Audit } from './audit/audit.entity.ts';
import { ApiKey } from './catalog/api-key.entity.ts';
import { Offer, Price } from './catalog/offer.entity.ts';
import { EnabledCurrency } from './catalog/prices/currency.entity.ts';
import { PayoutAccount, Product, ProductSlug } from './catalog/product.entity.ts';
import { AccessGrant, Entitlement } from './entitlements/entitlement.entity.ts';
import {
  Membership,
  MembershipChange,
  MembershipOpening,
} from './entitlements/membership.entity.ts';
import { MailToken } from './identity/mail/mail-token.entity.ts';
import { Passkey, PasskeyChallenge } from './identity/passkeys/passkey.entity.ts';
import {
  AccessToken,
  AuthorizationCode,
  Consent,
  PendingAuthorization,
} from './identity/oauth/authorization.entity.ts';
import { ClientSecret, OauthClient, RedirectUri } from './identity/oauth/oauth-client.entity.ts';
import { PersonImage } from './identity/person-image.entity.ts';
import { Person } from './identity/person.entity.ts';
import { PreSession, Session } from './identity/session.entity.ts';
import { Throttle } from './limits/throttle.entity.ts';
import { Notification, NotificationRead } from './notifications/notification.entity.ts';
import { Outbox } from './outbox/outbox.entity.ts';
import { Checkout } from './selling/checkout/checkout.entity.ts';
import { Click } from './selling/checkout/click.entity.ts';
import { Dispute } from './selling/disputes/dispute.entity.ts';
import { PlatformFee } from './selling/platform-fee.entity.ts';
import { LedgerCheck, LedgerEntry } from './selling/ledger/ledger.entity.ts';
import { ProcessorEvent } from './selling/inbox/processor-event.entity.ts';
import { Payment, Purchase } from './selling/purchases/purchase.entity.ts';
import { MemberPrice } from './selling/memberships/member-price.entity.ts';
import { Refund } from './selling/refunds/refund.entity.ts';
import { Receipt } from './selling/purchases/receipt.entity.ts';
import { ChargeReceipt } from './selling/renewals/charge-receipt.entity.ts';
import { Subscription } from './selling/subscriptions/subscription.entity.ts';
import { Attempt, Delivery, DeliveryState } from './webhooks/delivery.entity.ts';
import { WebhookEndpoint } from './webhooks/endpoint.entity.ts';
import { CheckCount, UsageDay } from './usage/usage-day.entity.ts';
import { Team, TeamInvitation, TeamMember } from './teams/team.entity.ts';
import { Event } from './webhooks/event.entity.ts';
import { Recovery } from './webhooks/recovery.entity.ts';

export const ENTITIES = [
  AccessGrant,
  AccessToken,
  Alert,
  ApiKey,
  Attempt,
  Audit,
  AuthorizationCode,
  CheckCount,
  ChargeReceipt,
  Checkout,
  Click,
  ClientSecret,
  Consent,
  Delivery,
  DeliveryState,
  Dispute,
  EnabledCurrency,
  Entitlement,
  Event,
  MailToken,
  LedgerCheck,
  LedgerEntry,
  MemberPrice,
  Membership,
  MembershipChange,
  MembershipOpening,
  Notification,
  NotificationRead,
  OauthClient,
  Offer,
  Outbox,
  Passkey,
  PasskeyChallenge,
  Payment,
  PayoutAccount,
  PendingAuthorization,
  Person,
  PersonImage,
  PlatformFee,
  PreSession,
  Price,
  ProcessorEvent,
  Product,
  ProductSlug,
  Purchase,
  Receipt,
  Recovery,
  RedirectUri,
  Refund,
  Session,
  Subscription,
  Team,
  TeamInvitation,
  TeamMember,
  Throttle,
  UsageDay,
  WebhookEndpoint,
];
