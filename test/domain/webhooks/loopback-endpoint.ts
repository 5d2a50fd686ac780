import test from 'ava';
import { isLoopbackEndpoint } from '../../../domain/webhooks/endpoints/loopback-endpoint.ts';

const URLS: [url: string, isLoopback: boolean][] = [
  ['http://127.0.0.1:4001/', true],
  ['http://127.255.0.9/', true],
  ['http://2130706433/', true],
  ['http://localhost:4001/hook', true],
  ['http://LOCALHOST/', true],
  ['https://[::1]:8443/', true],
  ['http://hooks.localhost/', false],
  ['http://localhost.example/', false],
  ['http://localhost./', false],
  ['http://127.0.0.1.nip.io/', false],
  ['http://127.example/', false],
  ['http://10.0.0.1/', false],
  ['http://0.0.0.0/', false],
  ['http://[::ffff:127.0.0.1]/', false],
  ['https://example.com/?to=127.0.0.1', false],
];

for (const [url, isLoopback] of URLS) {
  test(`${url} is ${isLoopback ? 'an' : 'no'} endpoint on a loopback address`, (t) => {
    t.is(isLoopbackEndpoint(url), isLoopback);
  });
}
