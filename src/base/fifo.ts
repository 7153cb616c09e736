/** A queue with constant-time operations at any length. */
export class Fifo<T> {
  private items: T[]
  private head = 0

  constructor(...items: T[]) {
    this.items = items
  }

  get size(): number {
    return this.items.length - this.head
  }

  push(item: T): void {
    this.items.push(item)
  }

  shift(): T | undefined {
    if (this.head === this.items.length) return undefined
    const item = this.items[this.head++] as T
    if (this.head === this.items.length) this.clear()
    else if (this.head > 32 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head)
      this.head = 0
    }
    return item
  }

  clear(): void {
    this.items = []
    this.head = 0
  }
}
