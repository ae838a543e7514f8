package whyhot;

import java.util.Map;
import jdk.internal.org.objectweb.asm.AnnotationVisitor;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;

/** Changes classes by what JVMs before 24 have inside. */
final class AsmRewriter implements Rewriter {
	private static final String COUNTER = "java/lang/WhyhotCounter";
	private static final int API = newest();

	/** The newest version that this JVM's ASM knows: an older one refuses newer classes. */
	private static int newest() {
		for (int n = 20; n > 5; n--) {
			try {
				return Opcodes.class.getField("ASM" + n).getInt(null);
			} catch (ReflectiveOperationException e) {
				// an older one
			}
		}
		return Opcodes.ASM5;
	}

	@Override
	public byte[] rewrite(byte[] text, ClassLoader loader, Map<String, Integer> methods, Left left) {
		ClassReader reader = new ClassReader(text);
		ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
		boolean[] changed = {false};
		reader.accept(new ClassVisitor(API, writer) {
			private int version;

			@Override
			public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
				this.version = version & 0xFFFF;
				super.visit(version, access, name, signature, parent, interfaces);
			}

			@Override
			public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
				MethodVisitor to = super.visitMethod(access, name, descriptor, signature, exceptions);
				Integer number = methods.get(name + descriptor);
				if (number == null) {
					return to;
				}
				if ((access & (Opcodes.ACC_NATIVE | Opcodes.ACC_ABSTRACT)) != 0) {
					left.method(number, "it has no byte code");
					return to;
				}
				return new Body(to, number, access, name, descriptor, version >= Opcodes.V1_6, left, changed);
			}
		}, 0);
		return changed[0] ? writer.toByteArray() : null;
	}

	private static final class Body extends MethodVisitor {
		private final int number, access;
		private final String descriptor;
		private final boolean constructor, frames;
		private final Left left;
		private final boolean[] changed;
		private final Label begin = new Label();
		private boolean intrinsic, begun;
		private int made; // objects that were made and whose constructors were not called yet

		Body(MethodVisitor to, int number, int access, String name, String descriptor, boolean frames, Left left, boolean[] changed) {
			super(API, to);
			this.number = number;
			this.access = access;
			this.descriptor = descriptor;
			this.constructor = name.equals("<init>");
			this.frames = frames;
			this.left = left;
			this.changed = changed;
		}

		@Override
		public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
			intrinsic |= descriptor.endsWith("IntrinsicCandidate;");
			return super.visitAnnotation(descriptor, visible);
		}

		@Override
		public void visitCode() {
			super.visitCode();
			if (intrinsic) {
				left.method(number, "the JVM has machine code of its own for it");
				return;
			}
			changed[0] = true;
			Label on = new Label();
			push(number);
			super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, "enter", "(I)Z", false);
			if (!constructor) {
				begin();
			}
			super.visitJumpInsn(Opcodes.IFEQ, on);
			boolean receiver = !constructor && (access & Opcodes.ACC_STATIC) == 0;
			Type[] types = Type.getArgumentTypes(descriptor);
			push(types.length + (receiver ? 1 : 0));
			super.visitTypeInsn(Opcodes.ANEWARRAY, "java/lang/Object");
			int at = 0, local = (access & Opcodes.ACC_STATIC) == 0 ? 1 : 0;
			if (receiver) {
				super.visitInsn(Opcodes.DUP);
				push(at++);
				super.visitVarInsn(Opcodes.ALOAD, 0);
				super.visitInsn(Opcodes.AASTORE);
			}
			for (Type t : types) {
				super.visitInsn(Opcodes.DUP);
				push(at++);
				super.visitVarInsn(t.getOpcode(Opcodes.ILOAD), local);
				box(t);
				super.visitInsn(Opcodes.AASTORE);
				local += t.getSize();
			}
			push(number);
			super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, "given", "([Ljava/lang/Object;I)V", false);
			super.visitLabel(on);
			if (frames) {
				super.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
			}
			super.visitInsn(Opcodes.NOP); // the method may begin with a frame of its own
		}

		private void begin() {
			begun = true;
			super.visitLabel(begin);
		}

		private void push(int n) {
			if (n <= 5) {
				super.visitInsn(Opcodes.ICONST_0 + n);
			} else if (n <= Byte.MAX_VALUE) {
				super.visitIntInsn(Opcodes.BIPUSH, n);
			} else {
				super.visitIntInsn(Opcodes.SIPUSH, n);
			}
		}

		private void box(Type t) {
			String of;
			switch (t.getSort()) {
			case Type.BOOLEAN:
				of = "java/lang/Boolean";
				break;
			case Type.BYTE:
				of = "java/lang/Byte";
				break;
			case Type.CHAR:
				of = "java/lang/Character";
				break;
			case Type.SHORT:
				of = "java/lang/Short";
				break;
			case Type.INT:
				of = "java/lang/Integer";
				break;
			case Type.LONG:
				of = "java/lang/Long";
				break;
			case Type.FLOAT:
				of = "java/lang/Float";
				break;
			case Type.DOUBLE:
				of = "java/lang/Double";
				break;
			default:
				return;
			}
			super.visitMethodInsn(Opcodes.INVOKESTATIC, of, "valueOf", "(" + t.getDescriptor() + ")L" + of + ";", false);
		}

		@Override
		public void visitTypeInsn(int opcode, String type) {
			super.visitTypeInsn(opcode, type);
			if (opcode == Opcodes.NEW) {
				made++;
			}
		}

		@Override
		public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
			super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
			if (intrinsic || !constructor || begun || opcode != Opcodes.INVOKESPECIAL || !name.equals("<init>")) {
				return;
			}
			if (made > 0) {
				made--;
			} else {
				begin(); // the object is one only now: before, no exception can be handled
			}
		}

		@Override
		public void visitInsn(int opcode) {
			if (!intrinsic && opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
				Type t = Type.getReturnType(descriptor);
				String value = "";
				switch (t.getSort()) {
				case Type.VOID:
					break;
				case Type.BYTE:
				case Type.SHORT:
					value = "I";
					break;
				case Type.ARRAY:
				case Type.OBJECT:
					value = "Ljava/lang/Object;";
					break;
				default:
					value = t.getDescriptor();
				}
				if (t.getSize() > 0) {
					super.visitInsn(t.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP);
				}
				push(number);
				super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, "leave", "(" + value + "I)V", false);
			}
			super.visitInsn(opcode);
		}

		@Override
		public void visitMaxs(int stack, int locals) {
			if (begun) {
				Label end = new Label();
				super.visitTryCatchBlock(begin, end, end, null); // the last: what the method has comes first
				super.visitLabel(end);
				if (frames) {
					super.visitFrame(Opcodes.F_FULL, 0, null, 1, new Object[] {"java/lang/Throwable"});
				}
				push(number);
				super.visitMethodInsn(Opcodes.INVOKESTATIC, COUNTER, "fail", "(I)V", false);
				super.visitInsn(Opcodes.ATHROW);
			}
			super.visitMaxs(stack, locals);
		}
	}
}
