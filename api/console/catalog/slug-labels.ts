import type { SlugProblem } from '../../../domain/catalog/product-fields.ts';
import { explain } from '../../account/field-problems.ts';

const NOT_A_SLUG =
  'Use 3 to 48 lowercase letters, digits and dashes, with no dash at either end. The slug must not look like an id.';

export function explainSlug(problem: SlugProblem | null): string | null {
  return problem === 'not_a_slug' ? NOT_A_SLUG : explain(problem);
}
