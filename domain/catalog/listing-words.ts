// The closed lists that a listing chooses from.

export const CATEGORIES = [
  'ai',
  'business',
  'communication',
  'design',
  'developer-tools',
  'education',
  'finance',
  'games',
  'health',
  'media',
  'news',
  'productivity',
  'security',
  'utilities',
] as const;

export const PLATFORMS = [
  'web',
  'ios',
  'android',
  'macos',
  'windows',
  'linux',
  'api',
  'cli',
] as const;

export type Category = (typeof CATEGORIES)[number];
export type Platform = (typeof PLATFORMS)[number];
