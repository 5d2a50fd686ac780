// The surface, in one list.
import { showBadge } from './catalog/badge.routes.ts';
import { showHome, showProduct } from './catalog/store.routes.ts';
import { catalogue } from './console/catalogue/catalogue.ts';
import { teamConsole } from './console/teams/team-console.ts';
import { deliveryConsole } from './console/delivery-console.ts';
import { productConsole } from './console/product-console.ts';
import { documentRoute, referenceFiles, showReference } from './docs/docs.routes.ts';
import { checkEntitlement } from './entitlements/entitlements.routes.ts';
import { showHealth, showReadiness } from './health/health.routes.ts';
import {
  forgetPassword,
  resetPassword,
  showForgotPassword,
  showResetPassword,
} from './identity/mail-links/reset-password.routes.ts';
import {
  showStopEmailChange,
  stopEmailChange,
} from './identity/mail-links/stop-email-change.routes.ts';
import {
  confirmEmail,
  showCheckMail,
  showVerifyEmail,
} from './identity/mail-links/verify-email.routes.ts';
import {
  addPasskey,
  offerNewPasskey,
  offerPasskeySignIn,
  removeOnePasskey,
  signInWithPasskey,
} from './identity/passkeys/passkeys.routes.ts';
import {
  confirmWithPasskey,
  offerConfirmation,
} from './identity/confirmation/confirmation.routes.ts';
import { askForEmail, changePassword } from './identity/settings/credentials.routes.ts';
import { deleteAccount, showDeleteAccount } from './identity/settings/delete-account.routes.ts';
import { removePicture, savePicture } from './identity/settings/picture.routes.ts';
import { saveProfile, showProfile, showSettings } from './identity/settings/profile.routes.ts';
import {
  endOneSession,
  sendVerification,
  showSecurity,
  signOutEverywhere,
} from './identity/settings/security.routes.ts';
import { showSignIn, signIn, signOut } from './identity/sign-in.routes.ts';
import {
  offerFirstPasskey,
  showPasskeySignUp,
  signUpWithPasskey,
} from './identity/sign-up/passkey-sign-up.routes.ts';
import { showSignUp, signUp } from './identity/sign-up/sign-up.routes.ts';
import { revokeApp, showApps } from './identity/apps.routes.ts';
import { showAvatar, showPersonImage } from './identity/person-image.routes.ts';
import { authorize, consent } from './oauth/authorize.routes.ts';
import { showMetadata } from './oauth/metadata.routes.ts';
import { readProfile } from './oauth/profile.routes.ts';
import { exchangeToken, revoke } from './oauth/token.routes.ts';
import { operatorDesk } from './operator/operator-desk.ts';
import type { Route } from './route.ts';
import { buy } from './selling/buy.routes.ts';
import { receiveProcessorEvent } from './selling/processor-events.routes.ts';
import { owned } from './selling/owned.ts';
import { reportUsage } from './usage/usage.routes.ts';
import { assets } from './views/assets.routes.ts';

const api: Route[] = [
  showHealth,
  showReadiness,
  checkEntitlement,
  reportUsage,
  receiveProcessorEvent,
];

const oauth: Route[] = [authorize, consent, exchangeToken, revoke, showMetadata, readProfile];

const selling: Route[] = [buy, showBadge];

const pages: Route[] = [
  showHome,
  showProduct,
  showSignIn,
  signIn,
  signOut,
  showApps,
  revokeApp,
  showReference,
];

const people: Route[] = [
  showSignUp,
  signUp,
  showPasskeySignUp,
  offerFirstPasskey,
  signUpWithPasskey,
  showCheckMail,
  showVerifyEmail,
  confirmEmail,
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
  ...selling,
  ...pages,
  ...productConsole,
  ...catalogue,
  ...deliveryConsole,
  ...teamConsole,
  ...people,
  ...settings,
  ...operatorDesk,
];

export const ROUTES: readonly Route[] = [
  ...described,
  documentRoute(described),
  referenceFiles,
  showAvatar,
  showPersonImage,
  assets,
];
