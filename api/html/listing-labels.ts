import type { Category, Platform } from '../../domain/catalog/listing-words.ts';

export const CATEGORY_WORDS: Record<Category, string> = {
  ai: 'AI',
  business: 'Business',
  communication: 'Communication',
  design: 'Design',
  'developer-tools': 'Developer tools',
  education: 'Education',
  finance: 'Finance',
  games: 'Games',
  health: 'Health',
  media: 'Media',
  news: 'News',
  productivity: 'Productivity',
  security: 'Security',
  utilities: 'Utilities',
};

export const PLATFORM_WORDS: Record<Platform, string> = {
  web: 'Web',
  ios: 'iOS',
  android: 'Android',
  macos: 'macOS',
  windows: 'Windows',
  linux: 'Linux',
  api: 'API',
  cli: 'Command line',
};
