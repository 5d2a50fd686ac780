// The navigation beside a page: a column on a wide screen, a bar that opens it on a narrow one.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from './icon.ts';

export type SideLink = {
  path: string;
  label: string;
  icon?: IconName;
  /** How much waits there: `3`, `99+`. */
  count?: string;
  /** The method of an operation: `GET`, `POST`, `EVENT`. */
  method?: string;
  /** What waits there is work, not trouble. */
  isQueue?: boolean;
  /** Pages that are reached by tabs of this one. */
  tabs?: readonly Tab[];
};

type Tab = { path: string; label: string };

/** Pages of one kind, under its name. */
type SideGroup = { name: string | null; links: readonly SideLink[] };

export type Side = {
  /** The accessible name of the navigation. */
  label: string;
  /** What all of the pages belong to; a narrow screen shows it before the page. */
  name: string;
  mark: HtmlSafeString;
  groups: readonly SideGroup[];
  /** Stands under a rule. */
  last?: readonly SideLink[];
  /** Whose pages these are: a menu where there is another product or team to choose. */
  switcher?: HtmlSafeString;
  /** The search over the pages. */
  search?: HtmlSafeString;
  /** The path of the page, or of a page whose tab it is. */
  current: string | null;
  /** The page is one of those that the tabs lead to; by default it is. */
  hasTabs?: boolean;
};

export function sideNavigation(side: Side): HtmlSafeString {
  const { label, name, mark, groups, last = [], switcher = '', search = '', current } = side;
  const shown = groups.filter(({ links }) => links.length > 0);
  return html`<details class="side">
    <summary>
      ${mark}<span><b>${name}</b> / ${findCurrent(side)?.label ?? 'All pages'}</span
      >${icon('chevron-down')}
    </summary>
    <div>
      ${switcher} ${search}
      <nav aria-label="${label}">
        ${shown.map(
          ({ name: group, links }) =>
            html`${group === null ? '' : html`<span class="group">${group}</span>`}
              <ul>
                ${links.map((each) => item(each, current))}
              </ul>`,
        )}
        ${
          last.length === 0
            ? ''
            : html`<hr />
                <ul>
                  ${last.map((each) => item(each, current))}
                </ul>`
        }
      </nav>
    </div>
  </details>`;
}

function item(link: SideLink, current: string | null): HtmlSafeString {
  const { path, label, icon: name, count = '', method = '', isQueue = false } = link;
  // A tab of the page may be the page that is shown.
  const mark = path === current ? html`aria-current="page"` : html`aria-current="true"`;
  return html`<li>
    <a href="${path}" ${isCurrent(link, current) ? mark : ''}
      >${name === undefined ? '' : icon(name)}${method === '' ? label : withBreaks(label)}${
        count === '' ? '' : html`<span class="${isQueue ? 'count warn' : 'count'}">${count}</span>`
      }${method === '' ? '' : html`<span class="method ${method}">${method}</span>`}</a
    >
  </li>`;
}

/** The name of an event breaks between its words. */
function withBreaks(label: string): HtmlSafeString {
  return html`<span
    >${label.split(/(?<=[._])/).map((part, index) => html`${index === 0 ? '' : html`<wbr />`}${part}`)}</span
  >`;
}

function isCurrent({ path, tabs = [] }: SideLink, current: string | null): boolean {
  return path === current || tabs.some((tab) => tab.path === current);
}

function findCurrent({ groups, last = [], current }: Side): SideLink | undefined {
  const links = [...groups.flatMap((group) => group.links), ...last];
  return links.find((link) => isCurrent(link, current));
}

/** The tabs of the current page with those that belong to it. */
export function tabsOf(side: Side): readonly Tab[] {
  return side.hasTabs === false ? [] : (findCurrent(side)?.tabs ?? []);
}
