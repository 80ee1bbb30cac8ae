//! Builds relu(x * w + bias), infers a shape, writes the module and runs it, with Indim's C interface and no crate:
//!
//!     rustc --edition 2021 main.rs -L $INDIM/lib -l indim_c -C link-arg=-Wl,-rpath,$INDIM/lib && ./main affine.pb
//!
//! INDIM is the tarball's folder, as an absolute path. Of a checkout, lib is bazel-bin/packaging/install.
//! With the name of a PJRT plugin behind the file it runs there, else in the reference evaluator.

use std::ffi::{c_char, c_void, CStr};
use std::ptr::{null, null_mut};

// The part of indim.h that this program needs.
mod c {
    use super::*;

    macro_rules! opaque { ($($name:ident)*) => { $( #[repr(C)] pub struct $name { _p: [u8; 0] } )* } }
    opaque!(Error Shape Builder Module Literal Diagnostics Client Executable);

    #[repr(C)]
    pub struct Attributes {
        pub struct_size: usize,
        pub form: i32,
        pub broadcast_rule: i32,
        pub text: *const c_char,
        pub text_size: usize,
        pub dimensions: *const i64,
        pub dimensions_count: usize,
        pub broadcast_dimensions: *const i64,
        pub broadcast_dimensions_count: usize,
        pub broadcast_axis: i64,
    }

    #[repr(C)]
    pub struct Op {
        pub struct_size: usize,
        pub opcode: i32,
        pub reserved: i32,
        pub name: *const c_char,
        pub name_size: usize,
        pub operands: *const i64,
        pub operand_count: usize,
        pub attributes: *const Attributes,
        pub result: *const Shape,
        pub callees: *const *const c_void,
        pub callee_count: usize,
        pub location: i64,
    }

    #[repr(C)]
    pub struct WriteOptions {
        pub struct_size: usize,
        pub format: i32,
        pub for_xla: i32,
        pub omit_checks: i32,
        pub generic: i32,
        pub locations: i32,
        pub elide_constants: i32,
        pub release: *const c_char,
        pub release_size: usize,
    }

    extern "C" {
        pub fn indim_version(size: *mut usize) -> *const c_char;
        pub fn indim_error_message(e: *const Error, size: *mut usize) -> *const c_char;
        pub fn indim_error_release(e: *mut Error);
        pub fn indim_element_type_from_name(name: *const c_char, size: usize) -> i32;
        pub fn indim_shape_parse(text: *const c_char, size: usize, shape: *mut *mut Shape) -> *mut Error;
        pub fn indim_shape_text(shape: *const Shape, size: *mut usize) -> *const c_char;
        pub fn indim_shape_release(shape: *mut Shape);
        pub fn indim_infer(
            opcode: *const c_char, size: usize, operands: *const *const Shape, count: usize,
            attributes: *const Attributes, result: *const Shape, callees: *const c_void, callee_count: usize,
            inferred: *mut *mut Shape, warnings: *mut *mut Diagnostics,
        ) -> *mut Error;
        pub fn indim_builder_create(
            name: *const c_char, size: usize, options: *const c_void, builder: *mut *mut Builder,
        ) -> *mut Error;
        pub fn indim_builder_release(builder: *mut Builder);
        pub fn indim_parameter(
            b: *mut Builder, number: i64, shape: *const Shape, name: *const c_char, size: usize, location: i64,
            value: *mut i64,
        ) -> *mut Error;
        pub fn indim_constant_double(b: *mut Builder, t: i32, number: f64, location: i64, value: *mut i64) -> *mut Error;
        pub fn indim_add(b: *mut Builder, op: *const Op, value: *mut i64) -> *mut Error;
        pub fn indim_build(
            b: *mut Builder, root: i64, options: *const c_void, module: *mut *mut Module,
            warnings: *mut *mut Diagnostics,
        ) -> *mut Error;
        pub fn indim_module_write_file(
            m: *const Module, path: *const c_char, size: usize, options: *const WriteOptions,
        ) -> *mut Error;
        pub fn indim_module_release(m: *mut Module);
        pub fn indim_literal_array(
            t: i32, sizes: *const i64, rank: usize, data: *const c_void, size: usize, literal: *mut *mut Literal,
        ) -> *mut Error;
        pub fn indim_literal_data(l: *const Literal, data: *mut *const c_void, size: *mut usize) -> *mut Error;
        pub fn indim_literal_release(l: *mut Literal);
        pub fn indim_evaluate(
            m: *const Module, arguments: *const *const Literal, count: usize, options: *const c_void,
            result: *mut *mut Literal,
        ) -> *mut Error;
        pub fn indim_client_create(
            plugin: *const c_char, size: usize, options: *const c_void, count: usize, client: *mut *mut Client,
        ) -> *mut Error;
        pub fn indim_client_release(client: *mut Client);
        pub fn indim_compile(
            client: *const Client, m: *const Module, options: *const c_void, e: *mut *mut Executable,
        ) -> *mut Error;
        pub fn indim_executable_release(e: *mut Executable);
        pub fn indim_run(
            e: *const Executable, arguments: *const *const Literal, count: usize, result: *mut *mut Literal,
        ) -> *mut Error;
    }
}

type Result<T> = std::result::Result<T, String>;

fn owned_text(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn check(error: *mut c::Error) -> Result<()> {
    if error.is_null() {
        return Ok(());
    }
    let message = owned_text(unsafe { c::indim_error_message(error, null_mut()) });
    unsafe { c::indim_error_release(error) };
    Err(message)
}

fn text(s: &str) -> *const c_char {
    s.as_ptr() as *const c_char
}

// What a function gives through its last pointer.
fn make<T>(call: impl FnOnce(*mut *mut T) -> *mut c::Error) -> Result<*mut T> {
    let mut made = null_mut();
    check(call(&mut made))?;
    Ok(made)
}

macro_rules! owner {
    ($name:ident, $release:ident) => {
        struct $name(*mut c::$name);
        impl Drop for $name {
            fn drop(&mut self) {
                unsafe { c::$release(self.0) }
            }
        }
    };
}
owner!(Shape, indim_shape_release);
owner!(Builder, indim_builder_release);
owner!(Module, indim_module_release);
owner!(Literal, indim_literal_release);
owner!(Client, indim_client_release);
owner!(Executable, indim_executable_release);

impl Shape {
    fn parse(s: &str) -> Result<Shape> {
        make(|to| unsafe { c::indim_shape_parse(text(s), s.len(), to) }).map(Shape)
    }
    fn text(&self) -> String {
        owned_text(unsafe { c::indim_shape_text(self.0, null_mut()) })
    }
}

fn infer(opcode: &str, operands: &[&Shape]) -> Result<Shape> {
    let list: Vec<*const c::Shape> = operands.iter().map(|s| s.0 as *const _).collect();
    make(|to| unsafe {
        c::indim_infer(
            text(opcode), opcode.len(), list.as_ptr(), list.len(), null(), null(), null(), 0, to, null_mut(),
        )
    })
    .map(Shape)
}

fn f32_type() -> i32 {
    unsafe { c::indim_element_type_from_name(text("f32"), 3) }
}

impl Builder {
    fn new(name: &str) -> Result<Builder> {
        make(|to| unsafe { c::indim_builder_create(text(name), name.len(), null(), to) }).map(Builder)
    }
    fn parameter(&self, name: &str, shape: &str) -> Result<i64> {
        let shape = Shape::parse(shape)?;
        let mut value = -1;
        check(unsafe { c::indim_parameter(self.0, -1, shape.0, text(name), name.len(), 0, &mut value) })?;
        Ok(value)
    }
    fn number(&self, number: f64) -> Result<i64> {
        let mut value = -1;
        check(unsafe { c::indim_constant_double(self.0, f32_type(), number, 0, &mut value) })?;
        Ok(value)
    }
    fn add(&self, opcode: &str, operands: &[i64], attributes: &str) -> Result<i64> {
        let attributes = c::Attributes {
            struct_size: std::mem::size_of::<c::Attributes>(),
            text: text(attributes),
            text_size: attributes.len(),
            ..unsafe { std::mem::zeroed() }
        };
        let op = c::Op {
            struct_size: std::mem::size_of::<c::Op>(),
            name: text(opcode),
            name_size: opcode.len(),
            operands: operands.as_ptr(),
            operand_count: operands.len(),
            attributes: &attributes,
            ..unsafe { std::mem::zeroed() }
        };
        let mut value = -1;
        check(unsafe { c::indim_add(self.0, &op, &mut value) })?;
        Ok(value)
    }
    fn build(self, root: i64) -> Result<Module> {
        make(|to| unsafe { c::indim_build(self.0, root, null(), to, null_mut()) }).map(Module)
    }
}

impl Literal {
    fn f32(sizes: &[i64], values: &[f32]) -> Result<Literal> {
        let data = values.as_ptr() as *const c_void;
        make(|to| unsafe { c::indim_literal_array(f32_type(), sizes.as_ptr(), sizes.len(), data, 4 * values.len(), to) })
            .map(Literal)
    }
    fn values(&self) -> Result<Vec<f32>> {
        let (mut data, mut size) = (null(), 0);
        check(unsafe { c::indim_literal_data(self.0, &mut data, &mut size) })?;
        Ok(unsafe { std::slice::from_raw_parts(data as *const f32, size / 4) }.to_vec())
    }
}

impl Module {
    fn write_file(&self, path: &str) -> Result<()> {
        let options = c::WriteOptions {
            struct_size: std::mem::size_of::<c::WriteOptions>(),
            for_xla: 1,
            ..unsafe { std::mem::zeroed() }
        };
        check(unsafe { c::indim_module_write_file(self.0, text(path), path.len(), &options) })
    }
    fn run(&self, plugin: Option<&str>, arguments: &[&Literal]) -> Result<Vec<f32>> {
        let list: Vec<*const c::Literal> = arguments.iter().map(|l| l.0 as *const _).collect();
        let Some(name) = plugin else {
            return Literal(make(|to| unsafe { c::indim_evaluate(self.0, list.as_ptr(), list.len(), null(), to) })?).values();
        };
        let client = Client(make(|to| unsafe { c::indim_client_create(text(name), name.len(), null(), 0, to) })?);
        let run = Executable(make(|to| unsafe { c::indim_compile(client.0, self.0, null(), to) })?);
        Literal(make(|to| unsafe { c::indim_run(run.0, list.as_ptr(), list.len(), to) })?).values()
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    println!("Indim {}", owned_text(unsafe { c::indim_version(null_mut()) }));
    let (two, three) = (Shape::parse("f32[2,1]")?, Shape::parse("f32[2,3]")?);
    println!("add gives {}", infer("add", &[&two, &three])?.text());
    if let Err(message) = infer("dot", &[&two]) {
        println!("{}", message.lines().next().unwrap_or(""));
    }

    let b = Builder::new("affine")?;
    let (x, w, bias) = (b.parameter("x", "f32[2,2]")?, b.parameter("w", "f32[2,2]")?, b.parameter("bias", "f32[2]")?);
    let y = b.add("dot", &[x, w], "lhs_contracting_dims={1}, rhs_contracting_dims={0}")?;
    let y = b.add("add", &[y, bias], "broadcast_dimensions={1}")?;
    let y = b.add("maximum", &[y, b.number(0.0)?], "")?;
    let module = b.build(y)?;
    module.write_file(arguments.get(1).map_or("affine.pb", |s| s))?;
    let (x, w) = (Literal::f32(&[2, 2], &[1., 2., 3., 4.])?, Literal::f32(&[2, 2], &[1., 0., 0., -1.])?);
    let bias = Literal::f32(&[2], &[10., 1.])?;
    println!("{:?}", module.run(arguments.get(2).map(|s| s.as_str()), &[&x, &w, &bias])?);
    Ok(())
}
