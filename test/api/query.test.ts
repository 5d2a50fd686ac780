import test from 'ava';
import { readQuery } from '../../api/middleware/input/validate.ts';

test('a parameter is a text, a list where it is given several times', (t) => {
  const query = readQuery('a=1&b=&a=2&c&a=3&d=x+y%20z');
  t.deepEqual({ ...query }, { a: ['1', '2', '3'], b: '', c: '', d: 'x y z' });
  t.deepEqual({ ...readQuery('') }, {});
  t.deepEqual({ ...readQuery('?a=1') }, { '?a': '1' });
});

test('names of what every object has are parameters like others', (t) => {
  const query = readQuery('__proto__=1&constructor=2&__proto__=3');
  t.deepEqual(Object.entries(query), [
    ['__proto__', ['1', '3']],
    ['constructor', '2'],
  ]);
  t.is(query['toString'], undefined);
});
