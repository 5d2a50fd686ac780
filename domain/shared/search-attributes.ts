/** The attributes by which operators search Temporal's workflows. */
export const SEARCH_ATTRIBUTES = {
  GatehouseProduct: 'Keyword',
  GatehousePerson: 'Keyword',
  GatehouseEndpoint: 'Keyword',
  GatehouseEvent: 'Keyword',
  GatehouseStatus: 'Keyword',
  GatehouseAttempt: 'Int',
  GatehouseDueAt: 'Datetime',
} as const;
