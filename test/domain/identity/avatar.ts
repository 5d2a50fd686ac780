import test from 'ava';
import { drawAvatar } from '../../../domain/identity/pictures/avatar.ts';
import { newUuid } from '../../../domain/shared/ids.ts';

test('a picture is always the same for the same identifier, in either case', (t) => {
  const id = newUuid();
  t.is(drawAvatar(id), drawAvatar(id.toUpperCase()));
});

test('pictures of different people differ, and hold nothing but squares', (t) => {
  const pictures = new Set(Array.from({ length: 200 }, () => drawAvatar(newUuid())));
  t.true(pictures.size > 195);
  for (const picture of pictures) {
    t.regex(
      picture,
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^<>]+>(<\/?(rect|g)[^<>]*>)+<\/svg>$/,
    );
  }
});
