import { Alert } from './alerts/alert.entity.ts';
import { Audit, AuditAddress } from './audit/audit.entity.ts';
import { ApiKey } from './catalog/keys/api-key.entity.ts';
import { Listing } from './catalog/listing.entity.ts';
import { ListingImport, UpstreamQuota } from './catalog/imports/listing-import.entity.ts';
import { Offer, Price } from './catalog/offer.entity.ts';
import { EnabledCurrency } from './catalog/prices/currency.entity.ts';
import { Image, ProductImage } from './catalog/pictures/picture.entity.ts';
import { IncludedSpan, PayoutAccount, Product, ProductSlug } from './catalog/product.entity.ts';
import { Release } from './catalog/releases/release.entity.ts';
import { ChosenShelf } from './catalog/search/chosen-shelf.entity.ts';
import { ProductSearch } from './catalog/search/product-search.entity.ts';
import { AccessGrant, Entitlement } from './entitlements/entitlement.entity.ts';
import {
  Membership,
  MembershipChange,
  MembershipActivation,
} from './entitlements/memberships/membership.entity.ts';
import { MailToken } from './identity/mail/mail-token.entity.ts';
import { Passkey, PasskeyChallenge } from './identity/passkeys/passkey.entity.ts';
import {
  AccessToken,
  AuthorizationCode,
  Consent,
  PendingAuthorization,
} from './oauth/authorization.entity.ts';
import { ClientSecret, OauthClient, RedirectUri } from './oauth/clients/oauth-client.entity.ts';
import { PersonImage } from './identity/pictures/person-image.entity.ts';
import { VerificationRequest } from './identity/operators/verification-request.entity.ts';
import { Person } from './identity/person.entity.ts';
import { PreSession, Session, SignInAddress } from './identity/session.entity.ts';
import { RateWindow } from './limits/rate-window.entity.ts';
import { Throttle } from './limits/throttle.entity.ts';
import { Notification, NotificationRead } from './notifications/notification.entity.ts';
import { Outbox } from './outbox/outbox.entity.ts';
import { Checkout } from './billing/checkout/checkout.entity.ts';
import { Click } from './billing/checkout/click.entity.ts';
import { Dispute } from './billing/disputes/dispute.entity.ts';
import { PlatformFee } from './billing/platform-fee.entity.ts';
import { LedgerCheck, LedgerEntry } from './billing/ledger/ledger.entity.ts';
import {
  ProcessorEvent,
  ProcessorEventBody,
  ProcessorMark,
} from './billing/processor-inbox/processor-event.entity.ts';
import { Payment } from './billing/purchases/payment.entity.ts';
import { Purchase } from './billing/purchases/purchase.entity.ts';
import { MemberPrice } from './entitlements/memberships/member-price.entity.ts';
import { Refund } from './billing/refunds/refund.entity.ts';
import { Receipt } from './billing/receipts/receipt.entity.ts';
import { ChargeReceipt } from './billing/recurring/charge-receipt.entity.ts';
import { Subscription } from './billing/product-subscriptions/subscription.entity.ts';
import {
  Attempt,
  Delivery,
  DeliveryLease,
  DeliveryState,
} from './webhooks/deliveries/delivery.entity.ts';
import { WebhookEndpoint } from './webhooks/endpoints/endpoint.entity.ts';
import { ApiRequest, RequestQuota } from './request-log/request-log.entity.ts';
import { ProductFigure } from './product-figures/product-figure.entity.ts';
import { IntegrationCount, Seal, SealAppeal, SealReview } from './seal/seal.entity.ts';
import { UsageClosedDay, UsageDaySum, UsageMonthSum } from './usage/history/usage-sum.entity.ts';
import { CheckBatch, CheckCount, CheckDay, UsageMonth } from './usage/usage-month.entity.ts';
import { Team, TeamInvitation, TeamMember, TeamStay } from './teams/team.entity.ts';
import { PoolLine } from './pool/payout-lines/pool-line.entity.ts';
import { PoolPayout } from './pool/payout-lines/pool-payout.entity.ts';
import {
  PoolCorrection,
  PoolFilePart,
  PoolMember,
  PoolPeriod,
  PoolPreview,
  PoolSetting,
} from './pool/period/pool-period.entity.ts';
import { PoolExclusion, PoolHold, PoolReview } from './pool/review/pool-review.entity.ts';
import { Event } from './webhooks/event.entity.ts';
import { Recovery } from './webhooks/recoveries/recovery.entity.ts';

export const ENTITIES = [
  AccessGrant,
  AccessToken,
  Alert,
  ApiKey,
  ApiRequest,
  Attempt,
  Audit,
  AuditAddress,
  AuthorizationCode,
  CheckBatch,
  CheckCount,
  CheckDay,
  ChargeReceipt,
  Checkout,
  ChosenShelf,
  Click,
  ClientSecret,
  Consent,
  Delivery,
  DeliveryLease,
  DeliveryState,
  Dispute,
  EnabledCurrency,
  Entitlement,
  Event,
  Image,
  Listing,
  ListingImport,
  MailToken,
  IncludedSpan,
  IntegrationCount,
  LedgerCheck,
  LedgerEntry,
  MemberPrice,
  Membership,
  MembershipChange,
  MembershipActivation,
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
  PoolCorrection,
  PoolExclusion,
  PoolFilePart,
  PoolHold,
  PoolLine,
  PoolMember,
  PoolPayout,
  PoolPeriod,
  PoolPreview,
  PoolReview,
  PoolSetting,
  PreSession,
  Price,
  ProcessorEvent,
  ProcessorEventBody,
  ProcessorMark,
  Product,
  ProductFigure,
  ProductImage,
  ProductSearch,
  ProductSlug,
  Purchase,
  Receipt,
  Recovery,
  RedirectUri,
  Refund,
  Release,
  RequestQuota,
  Seal,
  SealAppeal,
  SealReview,
  Session,
  SignInAddress,
  Subscription,
  Team,
  TeamInvitation,
  TeamMember,
  TeamStay,
  RateWindow,
  Throttle,
  UpstreamQuota,
  UsageClosedDay,
  UsageDaySum,
  UsageMonth,
  UsageMonthSum,
  VerificationRequest,
  WebhookEndpoint,
];
