import type { Context } from 'koa';

// Programs that show a link in a chat or a post: Slack, X, Facebook and Apple, Discord, Telegram,
// WhatsApp and Signal, LinkedIn, Skype and Teams, Reddit, Pinterest, Bluesky, Mastodon, Matrix.
// Browsers inside apps name themselves otherwise.
const PREVIEW_AGENT =
  /^WhatsApp\/|\b(Slackbot|Slack-ImgProxy|Twitterbot|facebookexternalhit|Discordbot|TelegramBot|LinkedInBot|SkypeUriPreview|redditbot|Pinterestbot|Bluesky Cardyb|Iframely|Embedly)\b|Mastodon\/|Synapse \(bot/i;

/** Asks for what a preview of the link shows. */
export function isLinkPreview(ctx: Context): boolean {
  return PREVIEW_AGENT.test(ctx.get('user-agent'));
}

/** A prefetch by a browser or mail scanner neither buys nor consents. */
export function isPrefetch(ctx: Context): boolean {
  const purpose = ctx.get('sec-purpose') || ctx.get('purpose') || ctx.get('x-moz');
  return ctx.method === 'HEAD' || /^prefetch\b/i.test(purpose);
}
