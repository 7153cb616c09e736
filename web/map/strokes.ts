import type { Rect } from './layout.ts'

export function hatch(context: CanvasRenderingContext2D, { x, y, width, height }: Rect, color: string): void {
  context.save()
  context.beginPath()
  context.rect(x, y, width, height)
  context.clip()
  context.strokeStyle = color
  context.lineWidth = 1.2
  context.beginPath()
  for (let at = -height; at < width; at += 5) {
    context.moveTo(x + at, y + height)
    context.lineTo(x + at + height, y)
  }
  context.stroke()
  context.restore()
}

export function box(context: CanvasRenderingContext2D, rect: Rect, radius: number, fill: string, stroke: string): void {
  context.beginPath()
  context.roundRect(rect.x + 0.5, rect.y + 0.5, rect.width - 1, rect.height - 1, radius)
  context.fillStyle = fill
  context.fill()
  context.strokeStyle = stroke
  context.lineWidth = 1
  context.stroke()
}

export function outline(
  context: CanvasRenderingContext2D,
  { x, y, width, height }: Rect,
  color: string,
  line: number,
  radius: number,
): void {
  context.beginPath()
  context.roundRect(x, y, width, height, radius)
  context.strokeStyle = color
  context.lineWidth = line
  context.stroke()
}

export const grown = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
})

export function textWidth(context: CanvasRenderingContext2D, text: string, font: string): number {
  const before = context.font
  context.font = font
  const { width } = context.measureText(text)
  context.font = before
  return width
}

/** Removes the first parts of a name until it fits, because the last part differs most. */
export function fitTail(context: CanvasRenderingContext2D, text: string, x: number, y: number, room: number): void {
  let shown = text
  while (context.measureText(shown).width > room) {
    const next = shown.search(/[-.]/)
    if (next < 0) break
    shown = shown.slice(next + 1)
  }
  fitText(context, shown, x, y, room)
}

/** The end of a name distinguishes nodes, so the middle is removed. */
export function fitText(context: CanvasRenderingContext2D, text: string, x: number, y: number, room: number): void {
  if (context.measureText(text).width <= room) {
    context.fillText(text, x, y)
    return
  }
  for (let kept = text.length - 1; kept > 2; kept--) {
    const tail = Math.ceil(kept * 0.6)
    const short = `${text.slice(0, kept - tail)}…${text.slice(-tail)}`
    if (context.measureText(short).width <= room) {
      context.fillText(short, x, y)
      return
    }
  }
}
