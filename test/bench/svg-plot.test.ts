import { describe, expect, it } from 'vitest'
import { svgPlot } from '../../bench/svg-plot.ts'

const plot = {
  title: 'Cost & size',
  x: 'nodes',
  y: 'µs <each>',
  note: 'here',
  lines: [
    { name: 'one', points: [10, 100, 1_000].map((x) => ({ x, y: x / 10 })) },
    { name: 'two', points: [10, 100, 1_000].map((x) => ({ x, y: 5 })) },
  ],
}

describe('a plot', () => {
  const svg = svgPlot(plot)

  it('writes one file for light and dark mode without external references', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+"/)
    expect(svg).toContain('prefers-color-scheme:dark')
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|@import/)
  })

  it('escapes text that looks like markup', () => {
    expect(svg).toContain('Cost &amp; size')
    expect(svg).toContain('µs &lt;each>')
  })

  it('draws linear growth as a straight line', () => {
    const [first = ''] = /class="line c0" d="([^"]+)"/.exec(svg)?.slice(1) ?? []
    const [a, b, c] = first
      .slice(1)
      .split('L')
      .map((place) => place.split(' ').map(Number) as [number, number])
    expect((b?.[1] ?? 0) - (a?.[1] ?? 0)).toBeCloseTo((c?.[1] ?? 0) - (b?.[1] ?? 0), 0)
    expect((b?.[0] ?? 0) - (a?.[0] ?? 0)).toBeCloseTo((c?.[0] ?? 0) - (b?.[0] ?? 0), 0)
  })

  it('keeps every point inside the plot', () => {
    const [, , width = 0, height = 0] = (/viewBox="([^"]+)"/.exec(svg)?.[1] ?? '').split(' ').map(Number)
    for (const [, x, y] of svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)) {
      expect(Number(x)).toBeLessThan(width)
      expect(Number(y)).toBeLessThan(height)
    }
  })
})
