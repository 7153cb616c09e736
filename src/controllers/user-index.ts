/** An index of users: maps each used object to the users of it. */
export class UserIndex<T> {
  private readonly users = new Map<string, Map<string, T>>()

  /** Records that a user uses the objects `after` instead of `before`. */
  move(key: string, user: T, before: readonly string[], after: readonly string[]): void {
    for (const used of before) {
      if (after.includes(used)) continue
      const users = this.users.get(used)
      users?.delete(key)
      if (users?.size === 0) this.users.delete(used)
    }
    for (const used of after) {
      const users = this.users.get(used)
      if (users === undefined) this.users.set(used, new Map([[key, user]]))
      else users.set(key, user)
    }
  }

  of(used: string): Iterable<T> {
    return this.users.get(used)?.values() ?? []
  }
}
