import { node } from '../run/story.fixture.ts'

/** Two zones of nodes `a1`, `a2` … and `b1`, `b2` …. */
export function createScenarioNodes() {
  const make = (letter: string, count: number) =>
    Array.from({ length: count }, (_, at) => node(`${letter}${at + 1}`, { zone: `zone-${letter}` }))
  const name = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)
  return {
    zoneA: (count: number) => make('a', count),
    zoneB: (count: number) => make('b', count),
    names: (a: number, b: number) => [...name('a', a), ...name('b', b)],
  }
}
