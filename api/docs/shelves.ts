/** A guide of `docs/` on its shelf. */
type ShelvedGuide = {
  name: string;
  /** What a reader can do after it. */
  about: string;
  /** What a reader has before it. */
  needs?: string;
};

type Shelf = {
  name: string;
  guides: ShelvedGuide[];
};

/** The guides by what they are for, in reading order. */
export const SHELVES: Shelf[] = [
  {
    name: 'Start',
    guides: [
      {
        name: 'new-builder',
        about: 'From an account to the first webhook on your own machine.',
        needs: 'You need an email address',
      },
    ],
  },
  {
    name: 'Build',
    guides: [
      {
        name: 'access',
        about: 'Ask whether a person may use your product, and say that they did.',
        needs: 'You need a test key',
      },
      {
        name: 'sign-in',
        about: 'Let people sign in to your product with their account.',
        needs: 'You need an OAuth client',
      },
      {
        name: 'webhooks',
        about: 'Receive signed events about access and purchases.',
        needs: 'You need an address with https',
      },
      { name: 'api-keys', about: 'Create, replace and revoke keys, and read the log of requests.' },
      { name: 'simulator', about: 'Try payments, refunds and renewals without a card.' },
    ],
  },
  {
    name: 'Sell',
    guides: [
      { name: 'products', about: 'From a draft to the store: address, prices, refund terms.' },
      { name: 'listing', about: 'What the store says of a product, and how people find it.' },
      { name: 'buy-link', about: 'Sell from your own pages, and show that you are listed.' },
      { name: 'subscriptions', about: 'Sell by the month or the year, event by event.' },
      { name: 'money', about: 'Who gets which part of a payment, and how money goes back.' },
    ],
  },
  {
    name: 'Member',
    guides: [
      { name: 'member', about: 'What Member opens, and what an Included product receives.' },
      { name: 'pool-and-seal', about: 'How use becomes money, and how the seal is earned.' },
    ],
  },
  {
    name: 'Account',
    guides: [
      { name: 'accounts', about: 'Sign-up, passkeys, sessions and mails.' },
      { name: 'teams', about: 'Look after products together.' },
      { name: 'privacy', about: 'What is kept about a person, where and for how long.' },
    ],
  },
  {
    name: 'Look up',
    guides: [{ name: 'glossary', about: 'Every term of Gatehouse in one line.' }],
  },
  {
    name: 'Run Gatehouse',
    guides: [
      { name: 'running-in-production', about: 'Install, update, scale and back up.' },
      { name: 'operating', about: 'What to watch, and what to do when something is stuck.' },
      { name: 'security', about: 'Who is trusted with what, and how to report a vulnerability.' },
    ],
  },
  {
    name: 'Read the code',
    guides: [
      { name: 'first-change', about: 'A new webhook event, from its declaration to its page.' },
      { name: 'architecture', about: 'Four ways through the code, from file to file.' },
      { name: 'commands', about: 'Every command of `package.json`, and what it needs.' },
      { name: 'performance', about: 'The SQL that is written by hand, and what it buys.' },
    ],
  },
];
