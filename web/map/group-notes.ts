import type { ClusterModel } from '../model/cluster.ts'
import { F, N } from '../model/rows.ts'
import { counted, percentText, priceText } from '../model/words.ts'
import type { Coloring } from './coloring.ts'

export interface GroupNote {
  readonly text: string
  readonly isBad: boolean
}

/** The notes in the title of a group, after its name, the most important first. */
export function groupNotes(cluster: ClusterModel, nodes: readonly string[], coloring: Coloring): readonly GroupNote[] {
  const sums = { unready: 0, used: 0, of: 0, price: 0 }
  const { by, figures } = coloring
  for (const name of nodes) {
    const cell = cluster.nodes.get(name)
    if (cell === undefined) continue
    const { row } = cell
    if (row[N.health] !== 0) sums.unready++
    const known = figures.get(name)
    if (by === 'cpu-used' || by === 'memory-used') {
      const isCpu = by === 'cpu-used'
      if (known === undefined || known[F.cpuMilli] < 0) continue
      sums.used += isCpu ? known[F.cpuMilli] : known[F.memoryBytes]
      sums.of += isCpu ? row[N.cpuMilli] : row[N.memoryBytes]
    } else {
      const isMemory = by === 'memory'
      sums.used += isMemory ? cell.memoryBytes : cell.cpuMilli
      sums.of += isMemory ? row[N.memoryBytes] : row[N.cpuMilli]
      sums.price += Math.max(0, known?.[F.price] ?? 0)
    }
  }
  const share = percentText(sums.of === 0 ? 0 : sums.used / sums.of)
  const what = by === 'memory' || by === 'memory-used' ? 'memory' : 'CPU'
  const figure =
    by === 'cost'
      ? `${priceText(sums.price)} per hour`
      : by.endsWith('used')
        ? `${what} used ${share}`
        : `${what} ${share}`
  return [
    ...(sums.unready > 0 ? [{ text: `${sums.unready} not ready`, isBad: true }] : []),
    { text: counted(nodes.length, 'node'), isBad: false },
    { text: figure, isBad: false },
  ]
}
