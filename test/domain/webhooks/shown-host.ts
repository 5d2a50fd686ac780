import test from 'ava';
import { endpointHost } from '../../../domain/webhooks/endpoints/shown-host.ts';

test('of an address only the host and port are left', (t) => {
  t.is(endpointHost('https://hooks.example/in?token=secret#x'), 'hooks.example');
  t.is(endpointHost('http://127.0.0.1:4000/T0/B1/secret'), '127.0.0.1:4000');
  t.is(endpointHost('https://[2606:4700::1111]:8443/in'), '[2606:4700::1111]:8443');
  t.is(endpointHost('https://ada:secret@hooks.example/'), 'hooks.example');
});

test('nothing in it is Markdown, and it is cut', (t) => {
  t.is(endpointHost('https://a*b`c(d)!.example/'), 'a?b?c?d??.example');
  t.is(endpointHost(`https://${'a'.repeat(60)}.${'b'.repeat(60)}.example/`).length, 100);
});
