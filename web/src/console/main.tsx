import { mount } from '../look/mount.tsx';
import { Console } from './console.tsx';

mount(<Console />);
