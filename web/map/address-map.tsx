import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { CidrBlock, CidrRange } from '../../src/wire/console-wire.ts'
import { countText } from '../model/words.ts'
import { theme } from '../parts/theme.ts'
import { go, nodeHref } from '../router.ts'
import { readPalette } from './palette.ts'

const across = 128
const mostRows = 64
const leastSide = 3

/** One square for one or several CIDRs, in order. */
interface Grid {
  readonly perSquare: number
  readonly columns: number
  readonly rows: number
}

export function gridOf(max: number, width = Number.POSITIVE_INFINITY): Grid {
  const most = width < across * leastSide ? across / 2 : across
  const columns = Math.min(most, Math.max(1, 2 ** Math.ceil(Math.log2(Math.max(1, Math.sqrt(max * 4))))))
  const perSquare = Math.max(1, Math.ceil(max / (columns * mostRows)))
  return { perSquare, columns, rows: Math.ceil(max / perSquare / columns) }
}

const order: readonly CidrBlock[2][] = ['duplicate', 'leaked', 'reserved', 'node', 'service']

const colors = {
  node: 'pod-running',
  reserved: 'pod-starting',
  service: 'cordoned',
  leaked: 'health-unknown',
  duplicate: 'health-notready',
} as const

interface Square {
  readonly blocks: readonly CidrBlock[]
  readonly worst: CidrBlock[2]
}

/** The part of a range up to its last used block, rounded up, because most ranges are mostly empty. */
export function usedRegion({ max, blocks }: Pick<CidrRange, 'max' | 'blocks'>): number {
  const last = blocks.at(-1)?.[0] ?? 0
  return Math.min(max, Math.max(256, 2 ** Math.ceil(Math.log2(last + 2))))
}

/** A picture of a range in reading order: the first CIDR is at the top left. It first shows the used region. */
export function AddressMap({ range }: { readonly range: CidrRange }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0)
  const [at, setAt] = useState<{ readonly index: number; readonly x: number; readonly y: number }>()
  const [whole, setWhole] = useState(false)
  const region = usedRegion(range)
  const shown = whole ? range.max : region
  const grid = gridOf(shown, width === 0 ? undefined : width)
  const squares = useMemo(() => squaresOf(range.blocks, grid.perSquare), [range, grid.perSquare])
  const side = Math.max(leastSide, Math.min(20, Math.floor(width / grid.columns)))
  const height = grid.rows * side

  useEffect(() => {
    const { current } = canvas
    if (current?.parentElement == null) return undefined
    const { parentElement } = current
    const read = () => setWidth(parentElement.clientWidth)
    read()
    const observer = new ResizeObserver(read)
    observer.observe(parentElement)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    const { current } = canvas
    const context = current?.getContext('2d')
    if (current === null || context == null || width === 0) return
    const ratio = devicePixelRatio
    current.width = grid.columns * side * ratio
    current.height = height * ratio
    current.style.width = `${grid.columns * side}px`
    current.style.height = `${height}px`
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const palette = readPalette()
    const gap = side > 5 ? 1 : 0
    context.fillStyle = palette.cell
    const count = Math.ceil(shown / grid.perSquare)
    for (let index = 0; index < count; index++) {
      const square = squares.get(index)
      context.fillStyle = square === undefined ? palette.cell : palette[colors[square.worst]]
      const x = (index % grid.columns) * side
      const y = Math.floor(index / grid.columns) * side
      context.fillRect(x, y, side - gap, side - gap)
    }
  }, [squares, width, side, height, grid.columns, grid.perSquare, shown, theme.value])

  const pick = (event: MouseEvent) => {
    const bounds = canvas.current?.getBoundingClientRect()
    if (bounds === undefined) return undefined
    const x = event.clientX - bounds.left
    const y = event.clientY - bounds.top
    return { index: Math.floor(y / side) * grid.columns + Math.floor(x / side), x, y }
  }
  const hovered = at === undefined ? undefined : squares.get(at.index)
  const per = grid.perSquare === 1 ? 'one block' : `${countText(grid.perSquare)} blocks`
  return (
    <div class="address-map">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${countText(range.used)} of ${countText(range.max)} blocks of ${range.range} are used`}
        onMouseMove={(event) => setAt(pick(event))}
        onMouseLeave={() => setAt(undefined)}
        onClick={(event) => {
          const found = pick(event)
          const node =
            found === undefined ? undefined : squares.get(found.index)?.blocks.find(([, , kind]) => kind === 'node')
          if (node?.[3][0] !== undefined) go(nodeHref(node[3][0]))
        }}
      />
      <p class="muted">
        A square is {per} of /{range.maskSize}.{' '}
        {hovered === undefined
          ? 'Point at a block to see its node.'
          : hovered.blocks.slice(0, 4).map(blockText).join('; ')}
        {hovered !== undefined && hovered.blocks.length > 4 ? ` and ${hovered.blocks.length - 4} more` : ''}{' '}
        {region === range.max ? null : (
          <button type="button" class="link" onClick={() => setWhole(!whole)}>
            {whole ? 'Show the used region' : `Show all ${countText(range.max)} blocks`}
          </button>
        )}
      </p>
    </div>
  )
}

function squaresOf(blocks: readonly CidrBlock[], perSquare: number): ReadonlyMap<number, Square> {
  const lists = new Map<number, CidrBlock[]>()
  for (const block of blocks) {
    const index = Math.floor(block[0] / perSquare)
    const list = lists.get(index)
    if (list === undefined) lists.set(index, [block])
    else list.push(block)
  }
  return new Map(
    [...lists].map(([index, list]) => [
      index,
      { blocks: list, worst: order.find((kind) => list.some((block) => block[2] === kind)) ?? 'node' },
    ]),
  )
}

function blockText([, cidr, kind, holders]: CidrBlock): string {
  return kind === 'leaked' ? `${cidr}: leaked` : `${cidr}: ${holders.join(', ')}`
}
