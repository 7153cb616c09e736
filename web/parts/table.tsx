// biome-ignore-all lint/a11y/useSemanticElements: rows are positioned one by one, which the elements of tables do not survive
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid as a whole has the focus, and says which row is meant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys go to the grid as a whole
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { countText } from '../model/words.ts'
import { queryState } from '../router.ts'
import { isPhone } from './phone.ts'
import { isPrinting } from './printing.ts'

export interface Column<Row> {
  readonly id: string
  readonly title: string
  /** A track of the grid: `minmax(160px, 2fr)`, `90px`. */
  readonly width: string
  readonly align?: 'right'
  readonly cell: (row: Row) => ComponentChildren
  /** False: not shown on a phone. */
  readonly onPhone?: boolean
  /** The sort value of a row. */
  readonly order?: (row: Row) => number | string
}

export interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly empty: ComponentChildren
  readonly onOpen?: (row: Row) => void
  readonly rowHeight?: number
  readonly initialOrder?: { readonly column: string; readonly descending: boolean }
  /** The address of the page has the order of this table, so that a link shows the same. */
  readonly isLinked?: boolean
  /** Maximum height in pixels; absent: as tall as the available space. */
  readonly maxHeight?: number
}

const overscan = 4
/** A longer table continues on the screen only. */
const printedRows = 200

/** A table of any length: only visible rows exist. Arrow keys move, Enter opens. */
export function Table<Row>(props: TableProps<Row>) {
  const { rowHeight = 36 } = props
  const columns = useMemo(
    () => (isPhone.value ? props.columns.filter(({ onPhone }) => onPhone !== false) : props.columns),
    [props.columns, isPhone.value],
  )
  const [order, setOrder] = useOrder(props)
  const [active, setActive] = useState(-1)
  const scroller = useRef<HTMLDivElement>(null)
  const { top, height } = useScroll(scroller)
  const rows = useOrdered(props.rows, columns, order)
  const prints = isPrinting.value
  const first = prints ? 0 : Math.max(0, Math.floor(top / rowHeight) - overscan)
  const last = Math.min(rows.length, prints ? printedRows : Math.ceil((top + height) / rowHeight) + overscan)
  // A row that scrolls into view reuses the element of a row that left the view. A row keeps its element while it is in view.
  const slots = prints ? printedRows : Math.ceil(height / rowHeight) + 2 * overscan + 2
  const tracks = columns.map(({ width }) => width).join(' ')
  const id = useRef(`table-${++tables}`).current
  const kept = useRef<DrawnRows>(new Map())
  const latest = useRef(props.onOpen)
  latest.current = props.onOpen
  const open = useRef((row: Row) => latest.current?.(row)).current

  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1)
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: rows.length - 1,
    }
    const target = moves[event.key]
    if (target !== undefined) {
      event.preventDefault()
      const next = Math.max(0, Math.min(rows.length - 1, target))
      setActive(next)
      reveal(scroller.current, next, rowHeight)
    }
    const row = rows[active]
    if (event.key === 'Enter' && row !== undefined && event.target === event.currentTarget) props.onOpen?.(row)
  }

  return (
    <div class={props.onOpen === undefined ? 'table' : 'table opens'}>
      <div
        ref={scroller}
        class="scroller"
        role="grid"
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={active >= first && active < last ? `${id}-${active}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <HeaderRow columns={columns} tracks={tracks} order={order} onOrder={setOrder} />
        {rows.length === 0 ? (
          <div role="row">
            <div role="gridcell">{props.empty}</div>
          </div>
        ) : (
          <Spacer height={prints ? undefined : rows.length * rowHeight} max={prints ? undefined : props.maxHeight}>
            {rows
              .slice(first, last)
              .map((row, at) =>
                drawn(
                  kept.current,
                  props.keyOf(row),
                  [row, first + at, slots, columns, rowHeight, first + at === active, prints],
                  () => (
                    <BodyRow
                      key={(first + at) % slots}
                      id={`${id}-${first + at}`}
                      index={first + at}
                      row={row}
                      columns={columns}
                      tracks={tracks}
                      rowHeight={rowHeight}
                      isActive={first + at === active}
                      isPlaced={!prints}
                      onOpen={open}
                    />
                  ),
                ),
              )}
          </Spacer>
        )}
        {prints && last < rows.length ? <p class="unprinted muted">and {countText(rows.length - last)} more</p> : null}
      </div>
    </div>
  )
}

const linkedOrder = queryState('sort', '')

/** The order of a table; `sort=age` and `sort=-age` in the address. */
function useOrder<Row>({ columns, initialOrder, isLinked }: TableProps<Row>) {
  const linked = isLinked === true ? linkedOrder.value : ''
  const column = linked.replace(/^-/, '')
  const fromLink = columns.some(({ id, order }) => id === column && order !== undefined)
  const descending = linked.startsWith('-')
  const own = useState(initialOrder)
  const order = useMemo(
    () => (fromLink ? { column, descending } : initialOrder),
    [fromLink, column, descending, initialOrder?.column, initialOrder?.descending],
  )
  if (isLinked !== true) return own
  const set = (next: TableProps<Row>['initialOrder']) => {
    const isInitial = next?.column === initialOrder?.column && next?.descending === initialOrder?.descending
    linkedOrder.value = next === undefined || isInitial ? '' : `${next.descending ? '-' : ''}${next.column}`
  }
  return [order, set] as const
}

let tables = 0

type DrawnRows = Map<string, { readonly of: readonly unknown[]; readonly node: ComponentChildren }>

/** An unchanged row is not rendered again: scrolling moves many rows and changes few. */
function drawn(kept: DrawnRows, key: string, of: readonly unknown[], draw: () => ComponentChildren): ComponentChildren {
  const known = kept.get(key)
  if (known?.of.every((value, at) => value === of[at]) === true) return known.node
  if (kept.size > 500) kept.clear()
  const node = draw()
  kept.set(key, { of, node })
  return node
}

const pixels = (length: number | undefined) => (length === undefined ? '' : `${length}px`)

function Spacer(props: {
  readonly height: number | undefined
  readonly max: number | undefined
  readonly children: ComponentChildren
}) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    current.style.height = pixels(props.height)
    const scroller = current.parentElement
    if (scroller !== null) scroller.style.maxHeight = pixels(props.max)
  }, [props.height, props.max])
  return (
    <div ref={element} class="rows" role="rowgroup">
      {props.children}
    </div>
  )
}

function HeaderRow<Row>(props: {
  readonly columns: readonly Column<Row>[]
  readonly tracks: string
  readonly order: TableProps<Row>['initialOrder']
  readonly onOrder: (order: TableProps<Row>['initialOrder']) => void
}) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (element.current !== null) element.current.style.gridTemplateColumns = props.tracks
  }, [props.tracks])
  return (
    <div role="rowgroup" class="header-group">
      <div ref={element} class="row header" role="row" aria-rowindex={1}>
        {props.columns.map((column) => {
          const isBy = props.order?.column === column.id
          const descending = isBy && props.order?.descending === true
          return (
            <div
              key={column.id}
              role="columnheader"
              class={column.align === 'right' ? 'right' : ''}
              aria-sort={isBy ? (descending ? 'descending' : 'ascending') : undefined}
            >
              {column.order === undefined ? (
                column.title
              ) : (
                <button
                  type="button"
                  class="sort"
                  onClick={() => props.onOrder({ column: column.id, descending: isBy && !descending })}
                >
                  {column.title}
                  <span aria-hidden="true" class="arrow">
                    {isBy ? (descending ? '↓' : '↑') : ''}
                  </span>
                </button>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function BodyRow<Row>(props: {
  readonly id: string
  readonly index: number
  readonly row: Row
  readonly columns: readonly Column<Row>[]
  readonly tracks: string
  readonly rowHeight: number
  readonly isActive: boolean
  /** The absolute position of the row in the scroller. */
  readonly isPlaced: boolean
  readonly onOpen: (row: Row) => void
}) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const style = element.current?.style
    if (style === undefined) return
    style.gridTemplateColumns = props.tracks
    style.height = `${props.rowHeight}px`
    style.transform = props.isPlaced ? `translateY(${props.index * props.rowHeight}px)` : ''
  }, [props.tracks, props.rowHeight, props.index, props.isPlaced])
  return (
    <div
      ref={element}
      id={props.id}
      class={props.isActive ? 'row active' : 'row'}
      role="row"
      aria-rowindex={props.index + 2}
      aria-selected={props.isActive}
      onClick={(event) => {
        if ((event.target as Element).closest('a, button') === null) props.onOpen(props.row)
      }}
    >
      {props.columns.map((column) => (
        <div key={column.id} role="gridcell" class={column.align === 'right' ? 'right' : ''}>
          {column.cell(props.row)}
        </div>
      ))}
    </div>
  )
}

function useOrdered<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: TableProps<Row>['initialOrder'],
): readonly Row[] {
  // A table is rendered with every frame while it scrolls, and its rows stay the same.
  return useMemo(() => {
    const by = order === undefined ? undefined : columns.find(({ id }) => id === order.column)?.order
    if (by === undefined || order === undefined) return rows
    const sign = order.descending ? -1 : 1
    return [...rows].sort((a, b) => {
      const x = by(a)
      const y = by(b)
      return x < y ? -sign : x > y ? sign : 0
    })
  }, [rows, columns, order])
}

function useScroll(element: { readonly current: HTMLDivElement | null }): { top: number; height: number } {
  const [state, setState] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    let height = current.clientHeight
    const read = () => {
      releaseFocus(current)
      setState({ top: current.scrollTop, height })
    }
    // The height is read when it changes and not with every frame of scrolling, which would compute the layout twice.
    const observer = new ResizeObserver(() => {
      height = current.clientHeight
      read()
    })
    observer.observe(current)
    current.addEventListener('scroll', read, { passive: true })
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', read)
    }
  }, [element])
  return state
}

/** A link that was scrolled out of view must not keep the focus: another row takes its element. */
function releaseFocus(scroller: HTMLDivElement): void {
  const row = document.activeElement?.closest('.rows > .row')
  if (row == null || !scroller.contains(row)) return
  const { top, bottom } = row.getBoundingClientRect()
  const view = scroller.getBoundingClientRect()
  if (bottom < view.top || top > view.bottom) scroller.focus({ preventScroll: true })
}

function reveal(scroller: HTMLDivElement | null, index: number, rowHeight: number): void {
  if (scroller === null) return
  const header = 36
  const top = index * rowHeight
  const room = scroller.clientHeight - header
  if (top < scroller.scrollTop) scroller.scrollTop = top
  else if (top + rowHeight > scroller.scrollTop + room) scroller.scrollTop = top + rowHeight - room
}
