import { html, type HtmlSafeString } from '@prairielearn/html';
import { assetPath } from '../html/assets.ts';

/** The one page that needs JavaScript; all of it is served from here. */
export function referencePage({ isSimulated }: { isSimulated: boolean }): HtmlSafeString {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>API reference | Gatehouse</title>
        <link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetPath('swagger-ui.css')}" />
        <link rel="stylesheet" href="${assetPath('reference.css')}" />
        <script src="${assetPath('swagger-ui-bundle.js')}" defer></script>
        <script src="${assetPath('reference.js')}" defer></script>
      </head>
      <body>
        <p class="back">
          <a href="/docs">Documentation</a> ${isSimulated ? 'Payments are simulated' : ''}
        </p>
        <div id="reference">
          <p>OpenAPI document: <a href="/openapi.json">openapi.json</a></p>
        </div>
      </body>
    </html>`;
}
