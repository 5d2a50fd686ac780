/** A thing that has a page; `ref` names its product in the console. */
export type Place =
  | { is: 'person' | 'first_party' | 'pool_period'; id: string; label: string }
  /** Shown with its period. */
  | { is: 'pool_payout'; id: string; label: string; periodId: string }
  | { is: PlaceOfProduct; id: string; label: string; ref: string };

type PlaceOfProduct =
  | 'product'
  | 'delivery'
  | 'cohort'
  | 'purchase'
  | 'endpoint'
  | 'recovery'
  | 'key'
  | 'client'
  | 'request'
  | 'access';
