import test from 'ava';
import { writeCsvLine } from '../../api/csv.ts';

test('fields are quoted as RFC 4180 says, and lines end with CRLF', (t) => {
  const line = writeCsvLine(['plain', 'a, b', 'say "so"', 'two\nlines', null, 12, 'last']);
  t.is(line, 'plain,"a, b","say ""so""","two\nlines",,12,last\r\n');
});

test('a text that a spreadsheet would run stays a text, an amount stays an amount', (t) => {
  for (const first of ['=', '+', '-', '@', '\t', '＝']) {
    t.is(writeCsvLine([`${first}1+1`]), `'${first}1+1\r\n`);
  }
  t.is(writeCsvLine(['=HYPERLINK("x")']), `"'=HYPERLINK(""x"")"\r\n`);
  t.is(writeCsvLine([{ exact: '-12.50' }, -1_250]), '-12.50,-1250\r\n');
  t.is(writeCsvLine(['a=b']), 'a=b\r\n');
});

test('a spreadsheet whose list separator is a semicolon runs no text either', (t) => {
  t.is(writeCsvLine(['x;=1+1']), "x;'=1+1\r\n");
  t.is(writeCsvLine(['x; \t@SUM(1)']), "x; \t'@SUM(1)\r\n");
  t.is(writeCsvLine(['a;b', { exact: '1;-2' }]), 'a;b,1;-2\r\n');
});
