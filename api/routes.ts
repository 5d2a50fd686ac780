// The surface, in one list.
import { showBadge } from './storefront/badge.routes.ts';
import { searchStore, showHome, showProduct } from './storefront/store.routes.ts';
import { catalogRoutes } from './console/catalog/catalog-routes.ts';
import { teamConsole } from './console/teams/team-routes.ts';
import { deliveryConsole } from './console/webhooks/delivery-routes.ts';
import { productConsole } from './console/product-surface.ts';
import { documentRoute, showGuide, showGuides, showReference } from './docs/docs.routes.ts';
import { checkEntitlement } from './v1/entitlements.routes.ts';
import { showHealth, showReadiness } from './health/health.routes.ts';
import {
  forgetPassword,
  resetPassword,
  showForgotPassword,
  showResetPassword,
} from './account/mail-links/reset-password.routes.ts';
import { sendConfirmation, showConfirmEmail } from './account/mail-links/confirm-email.routes.ts';
import {
  showStopEmailChange,
  stopEmailChange,
} from './account/mail-links/stop-email-change.routes.ts';
import { sendAgain, showCheckMail } from './account/mail-links/check-mail.routes.ts';
import { confirmEmail, showVerifyEmail } from './account/mail-links/verify-email.routes.ts';
import {
  addPasskey,
  offerNewPasskey,
  offerPasskeySignIn,
  removeOnePasskey,
  signInWithPasskey,
} from './account/passkeys/passkeys.routes.ts';
import {
  confirmWithPasskey,
  offerConfirmation,
} from './account/confirmation/confirmation.routes.ts';
import { askForEmail, changePassword } from './account/settings/credentials.routes.ts';
import { deleteAccount, showDeleteAccount } from './account/settings/delete-account.routes.ts';
import { removePicture, savePicture } from './account/settings/picture.routes.ts';
import { saveProfile, showProfile, showSettings } from './account/settings/profile.routes.ts';
import {
  endOneSession,
  sendVerification,
  showSecurity,
  signOutEverywhere,
} from './account/settings/security.routes.ts';
import { showSignIn, signIn, signOut } from './account/sign-in.routes.ts';
import {
  offerFirstPasskey,
  showPasskeySignUp,
  signUpWithPasskey,
} from './account/sign-up/passkey-sign-up.routes.ts';
import { showSignUp, signUp } from './account/sign-up/sign-up.routes.ts';
import { revokeApp, showApps } from './account/apps.routes.ts';
import { showAvatar, showPersonImage } from './account/person-image.routes.ts';
import { authorize, consent } from './oauth/authorize.routes.ts';
import { showMetadata } from './oauth/metadata.routes.ts';
import { readProfile } from './oauth/profile.routes.ts';
import { exchangeToken, revoke } from './oauth/token.routes.ts';
import { operatorRoutes } from './operator/operator-routes.ts';
import type { Route } from './http/route.ts';
import { buy } from './storefront/buy.routes.ts';
import { receiveProcessorEvent } from './processor-events/processor-events.routes.ts';
import { owned } from './account/account-routes.ts';
import { reportUsage } from './v1/usage.routes.ts';
import { getAsset } from './html/assets.routes.ts';

const api: Route[] = [
  showHealth,
  showReadiness,
  checkEntitlement,
  reportUsage,
  receiveProcessorEvent,
];

const oauth: Route[] = [authorize, consent, exchangeToken, revoke, showMetadata, readProfile];

const storefront: Route[] = [buy, showBadge];

const pages: Route[] = [
  showHome,
  searchStore,
  showProduct,
  showSignIn,
  signIn,
  signOut,
  showApps,
  revokeApp,
  showGuides,
  showReference,
  showGuide,
];

const people: Route[] = [
  showSignUp,
  signUp,
  showPasskeySignUp,
  offerFirstPasskey,
  signUpWithPasskey,
  showCheckMail,
  sendAgain,
  showVerifyEmail,
  confirmEmail,
  showConfirmEmail,
  sendConfirmation,
  showStopEmailChange,
  stopEmailChange,
  showForgotPassword,
  forgetPassword,
  showResetPassword,
  resetPassword,
  offerPasskeySignIn,
  signInWithPasskey,
];

const settings: Route[] = [
  showSettings,
  showProfile,
  saveProfile,
  savePicture,
  removePicture,
  showSecurity,
  sendVerification,
  askForEmail,
  changePassword,
  offerNewPasskey,
  addPasskey,
  removeOnePasskey,
  endOneSession,
  signOutEverywhere,
  offerConfirmation,
  confirmWithPasskey,
  showDeleteAccount,
  deleteAccount,
  ...owned,
];

const described = [
  ...api,
  ...oauth,
  ...storefront,
  ...pages,
  ...productConsole,
  ...catalogRoutes,
  ...deliveryConsole,
  ...teamConsole,
  ...people,
  ...settings,
  ...operatorRoutes,
];

export const ROUTES: readonly Route[] = [
  ...described,
  documentRoute(described),
  showAvatar,
  showPersonImage,
  getAsset,
];
