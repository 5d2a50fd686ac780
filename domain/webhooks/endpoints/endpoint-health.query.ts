// A part of the statement that records attempts, after `moved` and `clock`.

// An endpoint's health: the first failed retry since a success begins a failure period, and any
// success ends it. The row is written when a period begins or ends, and when a delivery dies.
export const TROUBLE = `
  told as (
    select endpoint_id, bool_or(status = 'succeeded') as has_succeeded,
      bool_or(status = 'dead') as has_died, bool_or(status <> 'succeeded' and step > 0) as has_failed
    from moved group by endpoint_id
  ),
  changing as (
    select e.id from webhook_endpoint e join told t on t.endpoint_id = e.id
    where t.has_died or (t.has_succeeded and e.failing_since is not null)
      or (t.has_failed and not t.has_succeeded and e.failing_since is null)
    order by e.id for no key update of e
  ),
  troubled as (
    update webhook_endpoint e set
      failing_since = case when t.has_succeeded then null
        else coalesce(e.failing_since, clock.at) end,
      last_dead_at = case when t.has_died then clock.at else e.last_dead_at end
    from changing join told t on t.endpoint_id = changing.id, clock
    where e.id = changing.id
  )`;
