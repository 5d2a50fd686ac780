// An app as an integrator writes it: it sends people to the store, and shows whom it got back.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../../../platform/http-server.ts';

/** What a client library does for the app. */
export type SignIn = {
  /** Where the person is sent. */
  begin(): Promise<URL>;
  /** The profile of whoever came back. */
  finish(callback: URL): Promise<unknown>;
};

type RunningApp = { url: string; redirectUri: string };

export type App = RunningApp & {
  /** To be set before anybody comes. */
  signIn: SignIn | null;
  close(): Promise<void>;
};

/** Listens on a loopback port of its own choice, as a native app does. */
export async function startApp(files: Record<string, string> = {}): Promise<App> {
  const listener = await listen((request, response) => void answer(request, response), {
    hosts: ['127.0.0.1'],
    port: 0,
  });
  const url = `http://127.0.0.1:${listener.port}`;
  const app: App = {
    url,
    redirectUri: `${url}/callback`,
    signIn: null,
    close: () => listener.close(),
  };

  async function answer({ url: path = '/' }: IncomingMessage, response: ServerResponse) {
    const file = files[path.split('?')[0]!];
    if (file !== undefined) {
      const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
      return response.writeHead(200, { 'content-type': type }).end(file);
    }
    const { pathname } = new URL(path, url);
    if (pathname !== '/' && pathname !== '/callback') return response.writeHead(404).end();
    try {
      if (pathname === '/') {
        const location = (await app.signIn!.begin()).href;
        return response.writeHead(302, { location }).end();
      }
      const profile = await app.signIn!.finish(new URL(path, url));
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify(profile));
    } catch (fault) {
      const { error } = fault as { error?: string };
      return response.writeHead(400).end(error ?? String(fault));
    }
  }
  return app;
}
