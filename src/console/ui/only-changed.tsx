/** A component that is drawn again only if one of its properties is another object or value: for rows of long lists. */
import { Component, type FunctionComponent } from 'preact';

export function onlyChanged<Props extends object>(Inner: FunctionComponent<Props>) {
  return class OnlyChanged extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const keys = Object.keys(next) as (keyof Props)[];
      return keys.some((key) => next[key] !== (this.props as Props)[key]);
    }
    render() {
      return <Inner {...this.props} />;
    }
  };
}
