import test from 'ava';
import {
  editPictures,
  hashUpload,
  MOST_SCREENSHOTS,
  validateAlt,
  type PictureEdit,
  type Pictures,
} from '../../../domain/catalog/pictures/picture.ts';

const shot = (hash: string) => ({ hash, alt: `shows ${hash}` });
const before: Pictures = { icon: 'i', screenshots: ['a', 'b', 'c'].map(shot) };
const hashes = ({ icon, screenshots }: Pictures) => [
  icon,
  ...screenshots.map(({ hash }) => hash).join(''),
];

const EDITS: [PictureEdit, string][] = [
  [{ action: 'set_icon', hash: 'j' }, 'jabc'],
  [{ action: 'remove_icon' }, '-abc'],
  [{ action: 'add', hash: 'd', alt: '' }, 'iabcd'],
  [{ action: 'add', hash: 'b', alt: '' }, 'iabc'],
  [{ action: 'replace', screenshot: 'b', hash: 'x' }, 'iaxc'],
  [{ action: 'replace', screenshot: 'b', hash: 'c' }, 'iabc'],
  [{ action: 'describe', screenshot: 'b', alt: 'other' }, 'iabc'],
  [{ action: 'earlier', screenshot: 'b' }, 'ibac'],
  [{ action: 'earlier', screenshot: 'a' }, 'iabc'],
  [{ action: 'later', screenshot: 'b' }, 'iacb'],
  [{ action: 'later', screenshot: 'c' }, 'iabc'],
  [{ action: 'remove', screenshot: 'b' }, 'iac'],
];

for (const [edit, expected] of EDITS) {
  test(`${JSON.stringify(edit)} leads to ${expected}`, (t) => {
    const after = editPictures(before, edit) as Pictures;
    t.is(
      hashes(after)
        .map((each) => each ?? '-')
        .join(''),
      expected,
    );
    t.deepEqual(hashes(before).join(''), 'iabc', 'the earlier ones stay as they were');
  });
}

test('a screenshot keeps its text where it moves or is replaced, and gets another one', (t) => {
  const edit = (change: PictureEdit) => (editPictures(before, change) as Pictures).screenshots;
  t.deepEqual(edit({ action: 'later', screenshot: 'a' })[1], shot('a'));
  const replaced = edit({ action: 'replace', screenshot: 'a', hash: 'x' })[0];
  t.deepEqual(replaced, { hash: 'x', alt: 'shows a' });
  const described = edit({ action: 'describe', screenshot: 'a', alt: 'other' })[0];
  t.deepEqual(described, { hash: 'a', alt: 'other' });
});

test('a product has 8 screenshots at most, and a ninth is refused', (t) => {
  let pictures: Pictures = { icon: null, screenshots: [] };
  for (let number = 1; number <= MOST_SCREENSHOTS; number += 1) {
    const edit = { action: 'add', hash: String(number), alt: '' } as const;
    pictures = editPictures(pictures, edit) as Pictures;
  }
  t.is(pictures.screenshots.length, 8);
  const ninth = editPictures(pictures, { action: 'add', hash: 'n', alt: '' });
  t.deepEqual(ninth, { refused: 'too_many' });
  const known = editPictures(pictures, { action: 'add', hash: '8', alt: '' });
  t.deepEqual(known, pictures, 'one that is there already is no ninth');
});

test('a screenshot that is not there is refused', (t) => {
  for (const edit of [
    { action: 'remove', screenshot: 'i' },
    { action: 'replace', screenshot: 'x', hash: 'y' },
    { action: 'describe', screenshot: 'x', alt: '' },
  ] as const) {
    t.deepEqual(editPictures(before, edit), { refused: 'not_there' });
  }
});

test('one upload has one hash as an icon and another one as a screenshot', (t) => {
  const [one, other] = [hashUpload(Buffer.from('a')), hashUpload(Buffer.from('b'))];
  t.deepEqual(one, hashUpload(Buffer.from('a')));
  t.is(new Set([one.icon, one.screenshot, other.icon, other.screenshot]).size, 4);
  for (const hash of Object.values(one)) t.regex(hash, /^[0-9a-f]{32}$/);
});

test('the text of a screenshot is one line of 200 characters at most', (t) => {
  t.deepEqual(validateAlt('  A  list\nof tides '), { value: 'A list of tides', problem: null });
  t.is(validateAlt(' ').problem, 'required');
  t.is(validateAlt('x'.repeat(200)).problem, null);
  t.is(validateAlt('x'.repeat(201)).problem, 'too_long');
});
