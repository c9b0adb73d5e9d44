// SPDX-License-Identifier: GPL-3.0-or-later
// Draws again only when its value is another: what is finished is left alone.
import { Component, type ComponentChildren } from "preact";

interface KeepProps<T> {
  value: T;
  draw: (value: T) => ComponentChildren;
}

export class Keep<T> extends Component<KeepProps<T>> {
  override shouldComponentUpdate(next: KeepProps<T>): boolean {
    return next.value !== this.props.value;
  }
  render() {
    return this.props.draw(this.props.value);
  }
}
